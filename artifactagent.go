package agentgraph

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// ArtifactAgent is a part of the work that is done on artifacts: see
// [Step.StepAgent]. A *[Resumable] is one.
type ArtifactAgent interface {
	Name() string
	Invoke(ctx context.Context, in Artifacts) (Artifacts, error)
}

// Stateful is what an [ArtifactAgent] has beside that remembers between calls.
// ImportState puts back what ExportState gave, as JSON. An agent that lacks one of
// them, or that is wrapped in a type that does, has no memory as far as runs are
// concerned, and nothing says so. Let the compiler check it:
//
//	var _ agentgraph.Stateful = (*Memory)(nil)
type Stateful interface {
	ExportState() (any, error)
	ImportState(state json.RawMessage) error
}

// StepAgent is [Step.Step] for an agent: the step has the agent's name, or "agent"
// when that is empty; the agent gets a copy of all artifacts, and what it returns is
// merged into them. If it is [Stateful] its state counts as input, comes back when
// the step is skipped, and is what it was after an error. State follows the run by
// the agent's name: when a step around it is skipped, it waits until an agent of
// that name is used next. So an agent of the same name as another that was used in a
// step before, and that has another state, is [ErrAgentName], if the run has an ID;
// within one body, and in steps side by side, agents may share a name, and after a step
// around them, only the one that used it last may go on from there. What is done to
// an agent's state outside of steps is lost when a step around the use before is
// skipped. A stateful agent that is in use in a step beside this one is [ErrAgentBusy].
func (s *Step) StepAgent(agent ArtifactAgent, extra ...Extra) error {
	if agent == nil {
		return fmt.Errorf("%sagent in %v is nil: %w", prefix, s.frame, ErrMissingAgent)
	}
	var name string
	if err := protected(func() error { name = agent.Name(); return nil }); err != nil {
		return err
	}
	if name == "" {
		name = "agent"
	}
	w := work{body: func(c *Step) error { return c.invoke(agent) }}
	if stateful, ok := agent.(Stateful); ok {
		w = work{
			prepare: func(c *Step) error { return c.prepare(name, stateful) },
			skipped: func(c *Step, done *journal.Step) error { return c.regain(name, stateful, done) },
			body: func(c *Step) error {
				if err := c.invoke(agent); err != nil {
					return err
				}
				return c.leave(name, stateful)
			},
		}
	}
	return s.do(name, name, w, extra)
}

// invoke hands the artifacts to an agent and takes what it returns.
func (s *Step) invoke(agent ArtifactAgent) error {
	out, err := agent.Invoke(s.ctx, copied(s.artifacts))
	if err != nil {
		return err
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.artifacts, err = merged(s.artifacts, out)
	return err
}

// prepare gives an agent the state that waits for it, and takes its state for input.
func (s *Step) prepare(name string, agent Stateful) error {
	if err := s.hold(name, agent); err != nil {
		return err
	}
	state, err := exportState(agent)
	if err != nil {
		return err
	}
	s.remember(use{name, agent, state})
	if state, err = s.receive(name, agent, state); err != nil {
		return err
	}
	s.also = []journal.Digest{{Name: "agent state", Text: state.Sum.Text()}}
	return nil
}

// receive gives an agent the state that waits for it, and returns the state that it
// has then.
func (s *Step) receive(name string, agent Stateful, state *snapshot.Value) (*snapshot.Value, error) {
	waiting := s.waiting.Get(name)
	if waiting == nil {
		return state, nil
	}
	s.waiting = s.waiting.Without(name)
	k := keeperOf(waiting)
	if k == nil {
		if err := importState(agent, waiting); err != nil {
			return nil, err
		}
		return exportState(agent)
	}
	if !k.fits(agent, state, waiting) {
		return nil, fmt.Errorf("%s%w: %q", prefix, ErrAgentName, name)
	}
	if left := k.after(agent); left != nil {
		s.waiting = s.waiting.With(name, left)
	}
	return state, nil
}

// regain gives the agent of a skipped step the state that it was left in.
func (s *Step) regain(name string, agent Stateful, done *journal.Step) error {
	if err := s.keepStates(done); err != nil {
		return err
	}
	state := done.Left.Get(name)
	if state == nil {
		return nil
	}
	s.waiting = s.waiting.Without(name)
	return importState(agent, state)
}

// leave keeps the state that an agent was left in.
func (s *Step) leave(name string, agent Stateful) error {
	state, err := exportState(agent)
	if err != nil {
		return err
	}
	if reflect.ValueOf(agent).Comparable() {
		state.Owner = agent
	}
	s.left = s.left.With(name, state)
	return nil
}

func exportState(agent Stateful) (*snapshot.Value, error) {
	var state any
	err := protected(func() (err error) { state, err = agent.ExportState(); return err })
	if err != nil {
		return nil, err
	}
	raw, err := canon.Marshal(state)
	if err != nil {
		return nil, fmt.Errorf("%sstate of an agent: %w", prefix, err)
	}
	return snapshot.NewValue(raw)
}

func importState(agent Stateful, state *snapshot.Value) error {
	return protected(func() error { return agent.ImportState(slices.Clone(state.Raw)) })
}

// hold claims an agent for this step, and after it for the step started with Go that
// it is in.
func (s *Step) hold(name string, agent Stateful) error {
	if !reflect.ValueOf(agent).Comparable() {
		return nil
	}
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	heir, held := r.holders[agent]
	switch {
	case !held:
		heir = s.holder()
	case !s.within(heir):
		return fmt.Errorf("%s%v: %w: %q", prefix, s.frame, ErrAgentBusy, name)
	}
	if r.holders == nil {
		r.holders = map[any]*Step{}
	}
	r.holders[agent] = s
	s.held, s.heir = agent, heir
	return nil
}

// handOn gives the agent that a step has used to who had it before.
func (s *Step) handOn() {
	switch {
	case s.held == nil:
	case s.heir == nil:
		delete(s.run.holders, s.held)
	default:
		s.run.holders[s.held] = s.heir
	}
}

// holder is the innermost step started with Go that this one is in, or nil.
func (s *Step) holder() *Step {
	for s != nil && s.branch == nil {
		s = s.up
	}
	return s
}

// within says whether the step is another or in it.
func (s *Step) within(other *Step) bool {
	for ; s != nil; s = s.up {
		if s == other {
			return true
		}
	}
	return false
}

// release hands the agents of a step started with Go on to the one that it is in;
// nil is none.
func (r *run) release(c, to *Step) {
	for agent, holder := range r.holders { // each by itself
		switch {
		case holder != c:
		case to == nil:
			delete(r.holders, agent)
		default:
			r.holders[agent] = to
		}
	}
}

func sameAgent(a, b Stateful) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	return v.Comparable() && w.Comparable() && a == b
}

// host does the work of another as a part of this step.
func (s *Step) host(r *Resumable, in Artifacts) (Artifacts, error) {
	h, err := s.guest(in)
	if err != nil {
		return nil, err
	}
	err = h.call(r.body)
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	h.close()
	s.child = nil
	s.inherit(h)
	s.waiting = h.waiting
	s.origins = h.origins
	return copied(h.artifacts), err
}

// guest opens a handle on the same place in the tree, with artifacts of its own.
func (s *Step) guest(in Artifacts) (*Step, error) {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	artifacts, err := merged(s.artifacts, in)
	if err != nil {
		return nil, err
	}
	for name := range s.artifacts.All() {
		if _, ok := in[name]; !ok {
			artifacts = artifacts.Without(name)
		}
	}
	if r.writer != nil {
		s.noteSelf()
	}
	h := &Step{
		run: r, up: s, frame: s.frame, input: artifacts, artifacts: artifacts, waiting: s.waiting, left: r.key.Empty(),
		known: s.known, base: s.base, noted: true,
	}
	h.ctx = context.WithValue(s.ctx, stepKey{}, h)
	s.child = h
	return h, nil
}
