package agentgraph_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// outcome is what a run gave, in the words of the cases where these have any.
type outcome struct {
	err   error
	told  map[string]any // by the keys of expect, but for the error
	amiss []string       // what the cases have no words for
}

// differences lists what is not as expected, the first in each part.
func differences(expect map[string]any, got outcome) []string {
	expect = cloneJSON(expect).(map[string]any)
	executed := expect["executed"].([]any)
	atOnce := slices.ContainsFunc(executed, isUnordered)
	expect["executed"], got.told["executed"] = alignExecuted(executed, got.told["executed"].([]any))
	alignInputs(expect, got.told, atOnce)
	alignNamed(expect, got.told, "agent_states")
	alignSteps(expect["steps_run"].([]any), got.told["steps_run"].([]any))

	all := []string{differentError(expect, got.err)}
	for _, part := range []string{"executed", "agent_calls", "agent_inputs", "agent_states", "artifacts", "steps_run"} {
		if want, ok := expect[part]; ok {
			all = append(all, firstDifference(part, want, got.told[part]))
		}
	}
	all = append(all, got.amiss...)
	return slices.DeleteFunc(all, func(d string) bool { return d == "" })
}

// differentError compares what Run returned with the error that a program raised,
// which is found again whatever the library puts around it, or with a kind.
func differentError(expect map[string]any, err error) string {
	if kind, ok := expect["error_kind"]; ok {
		artifact, _ := expect["artifact"].(string)
		if kind != "conflict" || !errors.Is(err, agentgraph.ErrArtifactConflict) || !strings.Contains(err.Error(), artifact) {
			return fmt.Sprintf("error: want a %v on artifact %q, got %v", kind, artifact, err)
		}
		return ""
	}
	var raised *programError
	switch {
	case err == nil:
		return firstDifference("error", expect["error"], nil)
	case errors.As(err, &raised):
		return firstDifference("error", expect["error"], raised.text)
	}
	return fmt.Sprintf("error: want %s, got one that no program raised: %v", brief(expect["error"]), err)
}

func isUnordered(entry any) bool { return unordered(entry) != nil }

// unordered gives the entries that may come in any order, nil for one entry alone.
func unordered(entry any) []any {
	object, _ := entry.(map[string]any)
	list, _ := object["unordered"].([]any)
	return list
}

// alignExecuted brings the entries that may come in any order into one order.
func alignExecuted(want, got []any) (ordered, aligned []any) {
	ordered, aligned = []any{}, slices.Clone(got)
	for _, entry := range want {
		group := unordered(entry)
		if group == nil {
			ordered = append(ordered, entry)
			continue
		}
		from := min(len(ordered), len(aligned))
		to := min(from+len(group), len(aligned))
		sortTexts(group)
		sortTexts(aligned[from:to])
		ordered = append(ordered, group...)
	}
	return ordered, aligned
}

func sortTexts(list []any) {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
}

// alignInputs leaves what is expected of agents' inputs; where steps ran at once
// the inputs of each agent come in the order in which they are expected.
func alignInputs(expect, told map[string]any, atOnce bool) {
	alignNamed(expect, told, "agent_inputs")
	if !atOnce {
		return
	}
	inputs := told["agent_inputs"].(map[string]any)
	expected, _ := expect["agent_inputs"].(map[string]any)
	for id, want := range expected {
		got, _ := inputs[id].([]any)
		inputs[id] = inOrderOf(want.([]any), got)
	}
}

// alignNamed leaves what is told of the agents that are expected by name.
func alignNamed(expect, told map[string]any, part string) {
	expected, _ := expect[part].(map[string]any)
	maps.DeleteFunc(told[part].(map[string]any), func(id string, _ any) bool {
		_, ok := expected[id]
		return !ok
	})
}

// inOrderOf gives the values in the order of their equals in want, others last.
func inOrderOf(want, values []any) []any {
	rest, ordered := slices.Clone(values), []any{}
	for _, w := range want {
		if i := slices.IndexFunc(rest, func(v any) bool { return equalJSON(w, v) }); i >= 0 {
			ordered = append(ordered, rest[i])
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return append(ordered, rest...)
}

// alignSteps makes empty what is absent of the nodes wanted, in lists of nodes or
// of lists of nodes, and checks the errors of which only the kind is known.
func alignSteps(want, got []any) {
	for i, w := range want {
		var g any
		if i < len(got) {
			g = got[i]
		}
		if list, ok := w.([]any); ok {
			below, _ := g.([]any)
			alignSteps(list, below)
			continue
		}
		below, _ := g.(map[string]any)
		alignNode(w.(map[string]any), below)
	}
}

func alignNode(want, got map[string]any) {
	for key, empty := range map[string]any{"extra_input_artifacts": map[string]any{}, "agent": "", "error": "", "children": []any{}} {
		if want[key] == nil {
			want[key] = empty
		}
	}
	if kind, ok := want["error_kind"]; ok {
		artifact, _ := want["artifact"].(string)
		delete(want, "error_kind")
		delete(want, "artifact")
		want["error"] = fmt.Sprintf("a text of the library's on a %v on artifact %q", kind, artifact)
		if text, _ := got["error"].(string); text != "" && strings.Contains(text, artifact) {
			want["error"] = text
		}
	}
	children, _ := got["children"].([]any)
	alignSteps(want["children"].([]any), children)
}

// TestDifferences: whatever is not as expected is told, and nothing else.
func TestDifferences(t *testing.T) {
	decode := func(text string) any {
		v, err := decodeJSON([]byte(text))
		require.NoError(t, err)
		return v
	}
	told := func(key, tampered string) map[string]any {
		told := decode(`{"executed": ["a", "c", "b", "d"], "agent_calls": {"w": 2}, "agent_inputs": {"w": [{"n": 2}, {"n": 1}], "v": []},
			"agent_states": {"w": null, "v": 1}, "artifacts": {"n": 1.0}, "steps_run": [[
			{"step_name": "a", "index": [0], "status": "error", "agent": "", "error": "conflict on n", "extra_input_artifacts": {}, "children": []}]]}`).(map[string]any)
		if key != "" {
			told[key] = decode(tampered)
		}
		return told
	}
	expect := decode(`{"error": "no", "executed": ["a", {"unordered": ["b", "c"]}, "d"], "agent_calls": {"w": 2}, "agent_inputs": {"w": [{"n": 1}, {"n": 2}]},
		"agent_states": {"w": null}, "artifacts": {"n": 1}, "steps_run": [[
		{"step_name": "a", "index": [0], "status": "error", "error_kind": "conflict", "artifact": "n"}]]}`).(map[string]any)
	raised := fmt.Errorf("in a run: %w", &programError{"no"})
	require.Empty(t, differences(expect, outcome{raised, told("", ""), []string{""}}))
	require.Equal(t, []string{`error: want "no", got null`, "a complaint"}, differences(expect, outcome{nil, told("", ""), []string{"", "a complaint"}}))
	require.Equal(t, []string{`error: want "no", got one that no program raised: no`}, differences(expect, outcome{errors.New("no"), told("", ""), nil}))

	for _, c := range []struct{ key, tampered, difference string }{
		{"executed", `["a", "b", "d", "c"]`, `executed[2]: want "c", got "d"`},
		{"executed", `["a", "b", "c"]`, `executed[3]: want "d", got the end of the list`},
		{"agent_calls", `{"w": 1}`, `agent_calls.w: want 2, got 1`},
		{"agent_inputs", `{"w": [{"n": 2}, {"n": 2}]}`, `agent_inputs.w[0].n: want 1, got 2`},
		{"agent_inputs", `{"w": [{"n": 2}, {"n": 1}, {"n": 1}]}`, `agent_inputs.w[2]: want the end of the list, got {"n":1}`},
		{"agent_states", `{"w": 1}`, `agent_states.w: want null, got 1`},
		{"artifacts", `{"n": 1, "m": 1}`, `artifacts.m: want nothing, got 1`},
		{"steps_run", `[[{"step_name": "a", "index": [0], "status": "error", "agent": "", "error": "x", "extra_input_artifacts": {}, "children": []}]]`,
			`steps_run[0][0].error: want "a text of the library's on a conflict on artifact \"n\"", got "x"`},
		{"steps_run", `[[]]`, `steps_run[0][0]: want {"agent":"","children":[],"error":"a text of the library's on a conflict on artifact \"n\"",` +
			`"extra_input_artifacts":{},"index":[0],"status":"error","step_name":"a"}, got the end of the list`},
	} {
		require.Equal(t, []string{c.difference}, differences(expect, outcome{raised, told(c.key, c.tampered), nil}))
	}

	conflict := map[string]any{"error_kind": "conflict", "artifact": "budget"}
	require.Empty(t, differentError(conflict, fmt.Errorf("%w: budget", agentgraph.ErrArtifactConflict)))
	require.NotEmpty(t, differentError(conflict, fmt.Errorf("%w: plan", agentgraph.ErrArtifactConflict)))
	require.NotEmpty(t, differentError(conflict, errors.New("budget")))
	require.NotEmpty(t, differentError(conflict, nil))
}
