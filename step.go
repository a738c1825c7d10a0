package agentgraph

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Step is the handle of a step, or of a whole run, in whose body it is used. It is
// good while that body runs and no step that it began with [Step.Step] is open; used
// otherwise, it fails the step that did so ([ErrStepClosed], [ErrWrongStep]).
type Step struct {
	run   *run
	up    *Step // nil for a run
	frame *frame
	ctx   context.Context // the run's, which says that it is in this step

	input     snapshot.Map // what it begins with, extras included
	artifacts snapshot.Map
	waiting   snapshot.Map // states of agents, by name, that are imported before their next use
	left      snapshot.Map // states in which agents were left in it
	also      []journal.Digest
	extra     []string
	uses      []use // of agents, oldest first
	held      any   // the agent that it uses, if that has a state,
	heir      *Step // and who has that afterwards

	id    int          // its number in the journal
	noted bool         // its beginning stands there
	known int          // the state that the journal knows last,
	base  snapshot.Map // and that state

	child   *Step    // begun with Step, and open
	started []*Step  // begun with Go, and not waited for
	awaited []*Step  // those that are being waited for
	branch  *branch  // of a step begun with Go
	fault   error    // fails it when its body returns
	path    string   // of the step that the error came from, once it failed
	origins []origin // of the last errors of steps in it
	closed  bool
	told    bool // an observer knows that it began
	skipped bool
	tick    func(latest int64) // of a meeting: notes what goes on in it
	answers []uint64           // of a meeting: those that it used
}

// Context returns the context of the step. It ends with the run.
func (s *Step) Context() context.Context { return s.ctx }

// Step does a part of the work. If a step of this place and name was done before in
// this run with the same input, which is all artifacts, its body is not called and
// the artifacts become those that it left; otherwise the body is called, and when it
// returns nil its outcome is durable before Step returns.
//
// A variable that the body captures, such as that of a loop, is no input: hand it in
// with [Input], or give the step a name that has it in it.
//
// A step is atomic: after an error, or a panic, which becomes one, the artifacts and
// the agents' states are what they were. Step returns the error of the body as it
// is. A name that is empty or not valid UTF-8 is [ErrBadName].
//
// Another call with the same name is another step, also after an error. To try again,
// loop in the body: around the call, the next attempt would begin with the first step
// of the loop, which had failed, and do again what a later one did.
func (s *Step) Step(name string, body func(*Step) error, extra ...Extra) error {
	return s.do(name, "", work{body: body}, extra)
}

func (s *Step) do(name, agent string, w work, extra []Extra) error {
	c, err := s.enter(name, agent, extra)
	if err != nil {
		return err
	}
	return c.perform(w)
}

// enter opens a step that its caller waits for.
func (s *Step) enter(name, agent string, extra []Extra) (*Step, error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	c, err := s.begin(name, agent, extra)
	if err == nil {
		s.child = c
	}
	return c, err
}

// begin makes the next child.
func (s *Step) begin(name, agent string, extra []Extra) (*Step, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	path := s.frame.next(name)
	switch {
	case name == "" || !utf8.ValidString(name):
		return nil, fmt.Errorf("%sstep %q: %w: %q", prefix, path, ErrBadName, name)
	case s.ctx.Err() != nil:
		return nil, fmt.Errorf("%sstep %q: %w", prefix, path, context.Cause(s.ctx))
	}
	c := &Step{run: s.run, up: s, frame: s.frame.add(name, agent, path, s.run.since()), artifacts: s.artifacts, waiting: s.waiting, left: s.run.key.Empty()}
	c.ctx = context.WithValue(s.ctx, stepKey{}, c)
	c.frame.node.CreatedAt = s.run.began.Add(time.Duration(c.frame.at) * time.Microsecond)
	c.take(extra)
	c.input = c.artifacts
	if s.run.writer != nil {
		c.id = s.run.writer.Number()
	}
	c.known, c.base = c.id, c.input
	return c, nil
}

// take puts extra artifacts into a step that begins.
func (s *Step) take(extra []Extra) {
	for _, x := range extra {
		switch {
		case x.err != nil:
			s.blame(x.err)
			continue
		case x.value == nil: // the zero Extra
			continue
		}
		s.put(x.name, x.value)
		if s.frame.node.ExtraInputArtifacts == nil {
			s.frame.node.ExtraInputArtifacts = Artifacts{}
		}
		if _, twice := s.frame.node.ExtraInputArtifacts[x.name]; !twice {
			s.extra = append(s.extra, x.name)
		}
		s.frame.node.ExtraInputArtifacts[x.name] = slices.Clone(x.value.Raw)
	}
	slices.Sort(s.extra)
}

type stepKey struct{}

// stepOf returns the step that a context belongs to, or nil.
func stepOf(ctx context.Context) *Step {
	if ctx == nil {
		return nil
	}
	s, _ := ctx.Value(stepKey{}).(*Step)
	return s
}
