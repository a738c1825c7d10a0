package agentgraph

import (
	"reflect"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// leaves notes the state that an agent was left in, and lets it wait for the next
// agent of that name: in a later attempt that is all that is known of this one.
func (s *Step) leaves(name string, agent Stateful, state *snapshot.Value) {
	s.waiting = s.waiting.With(name, state)
	s.run.noteLeft(agent, state)
}

// noteLeft keeps the state that an agent was last left in; nil is none.
func (r *run) noteLeft(agent Stateful, state *snapshot.Value) {
	if !reflect.ValueOf(agent).Comparable() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lefts == nil {
		r.lefts = map[any]*snapshot.Value{}
	}
	r.lefts[agent] = state
}

// lastLeft returns the state that an agent was last left in, or nil.
func (r *run) lastLeft(agent Stateful) *snapshot.Value {
	if !reflect.ValueOf(agent).Comparable() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lefts[agent]
}
