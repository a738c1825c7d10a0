package agentgraph_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// scenario is one case of testdata/conformance/resumable, whose README explains it,
// or one of testdata/resumable, which are our own.
type scenario struct {
	ID       string              `json:"id"`
	Title    string              `json:"title"`
	Agents   map[string]subAgent `json:"agents"`
	Programs map[string][]any    `json:"programs"`
	Runs     []scenarioRun       `json:"runs"`
}

type scenarioRun struct {
	RunID   string         `json:"run_id"` // empty for null
	Reuse   string         `json:"reuse"`
	Input   map[string]any `json:"input"`
	Env     map[string]any `json:"env"`
	Program string         `json:"program"`
	Expect  map[string]any `json:"expect"`
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	var all []scenario
	for _, dir := range []string{"conformance/resumable", "resumable"} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(dir), "cases.json"))
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		d.DisallowUnknownFields()
		var cases []scenario
		require.NoError(t, d.Decode(&cases))
		require.NotEmpty(t, cases, dir)
		all = append(all, cases...)
	}
	return all
}

func TestResumableConformance(t *testing.T) {
	stores := []struct {
		name string
		open func(t *testing.T) agentgraph.Store
	}{
		{"MemStore", func(*testing.T) agentgraph.Store { return agentgraph.NewMemStore() }},
		{"filestore", func(t *testing.T) agentgraph.Store {
			s, err := filestore.Open(t.TempDir(), nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			return s
		}},
	}
	cases := scenarios(t)
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			for _, c := range cases {
				t.Run(c.ID, func(t *testing.T) {
					t.Parallel() // a store in files waits for the disk most of the time
					c.perform(t, store.open(t))
				})
			}
		})
	}
}

// perform does the runs of a scenario in order and compares what each gives.
func (c scenario) perform(t *testing.T, store agentgraph.Store) {
	p := &performance{store: store, stage: &stage{programs: c.Programs}, began: map[string][]time.Time{}, steps: map[string][]any{}}
	for i, run := range c.Runs {
		if i == 0 || run.Reuse != "agents" {
			require.NoError(t, p.hire(c.Agents))
		}
		if all := differences(run.Expect, p.do(t, run)); len(all) > 0 {
			t.Fatalf("%s\nrun %d of %d:\n%s", c.Title, i+1, len(c.Runs), strings.Join(all, "\n"))
		}
	}
}

// performance is a scenario that is under way.
type performance struct {
	*stage
	store agentgraph.Store
	began map[string][]time.Time // when the runs of each run ID began
	steps map[string][]any       // what Result.Steps was in each, with the times
}

func (p *performance) do(t *testing.T, run scenarioRun) outcome {
	p.begin(run.Env)
	began := time.Now().Round(0) // by the wall clock, as nodes that come from a store are
	input := cloneJSON(run.Input).(map[string]any)
	orchestrator := agentgraph.NewResumable("orchestrator", p.body(run.Program, ""), &agentgraph.ResumableOptions{Store: p.store})
	result, err := orchestrator.Run(t.Context(), run.RunID, input)
	require.NotNil(t, result, "error: %v", err)
	require.Equal(t, run.RunID, result.RunID)
	require.Equal(t, run.Input, input, "the caller's input has been changed")

	lists, starts, steps := [][]*agentgraph.StepNode{result.Steps}, []time.Time{began}, []any{nodeTrees(result.Steps, true)}
	if run.RunID != "" {
		p.began[run.RunID] = append(p.began[run.RunID], starts...)
		p.steps[run.RunID] = append(p.steps[run.RunID], steps...)
		starts, steps = p.began[run.RunID], p.steps[run.RunID]
		var err error
		lists, err = orchestrator.StepsRun(t.Context(), run.RunID)
		require.NoError(t, err)
		require.Len(t, lists, len(starts), "StepsRun has not one list for each run")
	}
	told := p.told()
	told["artifacts"] = decodeArtifacts(result.Artifacts)
	told["steps_run"] = listTrees(lists, false)
	amiss := []string{
		firstDifference("StepsRun, where Result.Steps is wanted", steps, listTrees(lists, true)),
		firstDifference("complaints", []any{}, p.complaints),
	}
	for i, nodes := range lists {
		amiss = append(amiss, outOfTime(nodes, starts[i]))
	}
	require.Equal(t, slices.Sorted(maps.Keys(p.began)), p.runs(t), "run IDs in the store")

	p.end()
	clear(input)
	overwriteAll(result.Artifacts)
	overwriteNodes(result.Steps)
	for _, nodes := range lists {
		overwriteNodes(nodes)
	}
	return outcome{err, told, amiss}
}

// runs lists the run IDs in the store.
func (p *performance) runs(t *testing.T) []string {
	var ids []string
	for id, err := range p.store.Runs(t.Context()) {
		require.NoError(t, err)
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
