package agentgraph_test

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/seed-a2b66b4f/agentgraph"
)

// stage is what the programs of one scenario share: the world outside in the
// current run, and the notes of what really ran. Steps may run at once.
type stage struct {
	programs map[string][]any
	agents   map[string]agentgraph.ArtifactAgent
	env      map[string]any

	mu         sync.Mutex
	executed   []any
	calls      map[string]int
	inputs     map[string][]any
	complaints []any
	lent       []json.RawMessage // what agents have given to the library
}

// begin makes a run's notes anew.
func (s *stage) begin(env map[string]any) {
	s.env = env
	s.executed, s.complaints = []any{}, []any{}
	s.calls, s.inputs = map[string]int{}, map[string][]any{}
}

// end overwrites what agents gave to the library during the run.
func (s *stage) end() {
	overwrite(s.lent...)
	s.lent = nil
}

func (s *stage) note(entry string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.executed = append(s.executed, entry)
}

func (s *stage) complain(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complaints = append(s.complaints, fmt.Sprintf(format, args...))
}

// noteAgent notes that a sub-agent is invoked, takes what it was given, and
// overwrites that.
func (s *stage) noteAgent(id string, in agentgraph.Artifacts) map[string]any {
	input := decodeArtifacts(in)
	overwriteAll(in)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.executed = append(s.executed, "agent:"+id)
	s.calls[id]++
	s.inputs[id] = append(s.inputs[id], cloneJSON(input))
	return input
}

func (s *stage) lend(raw json.RawMessage) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lent = append(s.lent, raw)
	return raw
}

// hire makes new sub-agents, as a new process would have them.
func (s *stage) hire(agents map[string]subAgent) error {
	s.agents = map[string]agentgraph.ArtifactAgent{}
	for id, a := range agents {
		if a.Program != "" {
			s.agents[id] = agentgraph.NewResumable(a.Name, s.body(a.Program, id), nil)
			continue
		}
		scripted := &scriptedAgent{stage: s, id: id, spec: a}
		if a.State == nil {
			s.agents[id] = scripted
			continue
		}
		state, err := decodeJSON(a.State)
		if err != nil {
			return err
		}
		scripted.state = state
		s.agents[id] = importer{exporter{scripted}}
		if a.Imports != nil && !*a.Imports {
			s.agents[id] = exporter{scripted}
		}
	}
	return nil
}

// body is that of an orchestrator with this program, which is the sub-agent of
// this ID, or none.
func (s *stage) body(program, id string) func(*agentgraph.Step) error {
	return func(step *agentgraph.Step) error {
		if id != "" {
			s.noteAgent(id, step.Artifacts())
		}
		x := execution{stage: s, vars: map[string]any{}}
		return x.within(step).run(s.programs[program])
	}
}

// told is what the interpreter knows about a run.
func (s *stage) told() map[string]any {
	calls, inputs, states := map[string]any{}, map[string]any{}, map[string]any{}
	for id := range s.agents {
		calls[id] = number(s.calls[id])
		inputs[id] = append([]any{}, s.inputs[id]...)
		states[id] = s.stateOf(id)
	}
	return map[string]any{"executed": s.executed, "agent_calls": calls, "agent_inputs": inputs, "agent_states": states}
}

// stateOf gives the state of a sub-agent; no case expects one where there is none.
func (s *stage) stateOf(id string) any {
	switch a := s.agents[id].(type) {
	case importer:
		return a.at(nil)
	case exporter:
		return a.at(nil)
	}
	return fmt.Sprintf("agent %s has no state", id)
}

// overwrite makes nonsense of values that someone should have copied.
func overwrite(raws ...json.RawMessage) {
	for _, raw := range raws {
		for i := range raw {
			raw[i] = '#'
		}
	}
}

func overwriteAll(artifacts agentgraph.Artifacts) {
	for _, raw := range artifacts {
		overwrite(raw)
	}
	clear(artifacts)
}

// decodeArtifacts gives the values; in place of one that is no JSON it says so.
func decodeArtifacts(artifacts agentgraph.Artifacts) map[string]any {
	values := map[string]any{}
	for name, raw := range artifacts {
		v, err := decodeJSON(raw)
		if err != nil {
			v = fmt.Sprintf("no JSON: %q", raw)
		}
		values[name] = v
	}
	return values
}
