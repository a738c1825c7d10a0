package agentgraph_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/seed-a2b66b4f/agentgraph"
)

// subAgent is a sub-agent as a scenario describes it.
type subAgent struct {
	Name    string          `json:"name"`  // empty for null
	State   json.RawMessage `json:"state"` // nil when absent, null when null
	Imports *bool           `json:"imports"`
	Do      []any           `json:"do"`
	Out     map[string]any  `json:"out"`
	Program string          `json:"program"`
}

// scriptedAgent is a sub-agent that is no orchestrator.
type scriptedAgent struct {
	*stage
	id   string
	spec subAgent

	mu    sync.Mutex
	state any
	lent  []json.RawMessage // what the library was given, if there is a state
}

func (a *scriptedAgent) Name() string { return a.spec.Name }

func (a *scriptedAgent) Invoke(_ context.Context, in agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	a.overwriteLent()
	x := execution{stage: a.stage, artifacts: ownArtifacts(a.noteAgent(a.id, in)), agent: a, vars: map[string]any{}}
	if err := x.run(a.spec.Do); err != nil {
		return nil, err
	}
	out := agentgraph.Artifacts{}
	for _, name := range slices.Sorted(maps.Keys(a.spec.Out)) {
		v, err := x.evaluate(a.spec.Out[name])
		if err != nil {
			return nil, err
		}
		out[name] = a.lend(v)
	}
	return out, nil
}

// overwriteLent overwrites what was exported and returned, of which the library
// has copies by now: an agent with state is not used by two steps at once.
func (a *scriptedAgent) overwriteLent() {
	a.mu.Lock()
	defer a.mu.Unlock()
	overwrite(a.lent...)
	a.lent = nil
}

func (a *scriptedAgent) lend(v any) json.RawMessage {
	raw := a.stage.lend(encodeJSON(v))
	if a.spec.State != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lent = append(a.lent, raw)
	}
	return raw
}

func (a *scriptedAgent) at(path []any) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cloneJSON(valueAt(a.state, path))
}

func (a *scriptedAgent) change(path []any, v any, how func(old, v any) any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = changeAt(a.state, path, v, how)
}

// exporter is an agent that can export its state but not import one.
type exporter struct{ *scriptedAgent }

func (a exporter) ExportState() (any, error) { return a.lend(a.at(nil)), nil }

// importer is an agent that can do both.
type importer struct{ exporter }

func (a importer) ImportState(raw json.RawMessage) error {
	state, err := decodeJSON(raw)
	if err != nil {
		return err
	}
	overwrite(raw)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.state = state
	return nil
}
