package agentgraph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// branch is a step that runs beside its caller.
type branch struct {
	before  snapshot.Map // the caller's artifacts at the call, without the extras
	waiting snapshot.Map // the same of the states that wait
	done    chan struct{}
	err     error
}

// Go begins a step and does not wait for it. It works on the artifacts as they are
// at the call, with its extras; what the caller changes later it does not see, and
// the caller sees nothing of what it does until [Step.Wait]. Its place and name
// count from the call, so that nothing depends on timing. All that were begun run at
// once, however many, and one that fails does not end the others.
//
// The body must use its own handle only. Using the caller's is a race until the
// caller waits, and fails the step with [ErrWrongStep] from then on. Errors, that of
// a bad name too, come from Wait; a handle that may not be used now fails the step
// at fault and starts nothing.
func (s *Step) Go(name string, body func(*Step) error, extra ...Extra) {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.usable() != nil {
		return
	}
	b := &branch{before: s.artifacts, waiting: s.waiting, done: make(chan struct{})}
	c, err := s.begin(name, "", extra)
	if err != nil {
		b.err = err
		close(b.done)
		s.started = append(s.started, &Step{run: r, up: s, branch: b})
		return
	}
	c.branch = b
	s.started = append(s.started, c)
	go func() {
		defer close(b.done)
		returned := false
		defer func() {
			if !returned && b.err == nil { // runtime.Goexit was called where an agent should get its state back
				b.err = caught(nil)
			}
		}()
		b.err = c.perform(work{body: body})
		returned = true
	}()
}

// Wait lets the steps finish that were started with Go since the last Wait, and
// then takes over what they changed. Several steps may change one artifact if they
// agree on its value, and so may the caller; else Wait is [ErrArtifactConflict],
// naming the artifacts. If a step failed, Wait returns the error of the first one,
// in order of the calls, that did more than wait for an answer. A Wait that fails
// takes over nothing; the steps that ended well stay recorded.
//
// A body that returns without Wait is waited for.
func (s *Step) Wait() error {
	s.run.mu.Lock()
	err := s.usable()
	s.run.mu.Unlock()
	if err != nil {
		return err
	}
	return s.wait()
}

func (s *Step) wait() error {
	started := s.finished()
	err := s.firstError(started)
	if err == nil {
		err = s.merge(started)
	}
	if err != nil {
		return s.giveBack(started, err)
	}
	return nil
}

// finished waits for what was started.
func (s *Step) finished() []*Step {
	s.run.mu.Lock()
	started := s.started
	s.started, s.awaited = nil, started
	s.run.mu.Unlock()
	for _, c := range started {
		<-c.branch.done
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.awaited = nil
	return started
}

// abandon waits for what was started and takes over nothing. The error is that of
// an agent that does not take back its state.
func (s *Step) abandon() error { return s.giveBack(s.finished(), nil) }

// firstError returns the first error that is more than a missing answer, or else
// all that is waited for, or nil.
func (s *Step) firstError(started []*Step) error {
	var waits []*Step
	for _, c := range started {
		switch {
		case c.branch.err == nil:
		case errors.Is(c.branch.err, ErrWaiting):
			waits = append(waits, c)
		default:
			return s.passOn(c)
		}
	}
	switch len(waits) {
	case 0:
		return nil
	case 1:
		return s.passOn(waits[0])
	}
	return together(waits)
}

// passOn returns the error of a step, and keeps where that came from.
func (s *Step) passOn(c *Step) error {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if c.frame != nil { // it began
		s.hear(c.branch.err, c.path)
	}
	return c.branch.err
}

// giveBack gives the agents used in steps the states from before.
func (s *Step) giveBack(started []*Step, err error) error {
	for _, c := range slices.Backward(started) {
		if restored := c.restore(); restored != nil {
			err = errors.Join(err, restored)
		}
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	for _, c := range started {
		s.run.release(c, nil)
	}
	return err
}

// merge takes over what the steps changed.
func (s *Step) merge(started []*Step) error {
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	next, conflicts := s.outcome(started)
	if len(conflicts) > 0 {
		return fmt.Errorf("%s%v: %w: %s", prefix, s.frame, ErrArtifactConflict, strings.Join(conflicts, ", "))
	}
	s.artifacts = next
	for _, c := range started {
		for _, change := range snapshot.Changed(c.branch.waiting, c.waiting) {
			change.After = before(s.waiting.Get(change.Name), change.After)
			s.waiting = changed(s.waiting, change)
		}
		s.inherit(c)
		r.release(c, s.holder())
	}
	return nil
}

// outcome is the artifacts with what the steps changed, or where they do not agree,
// in order of the artifacts.
func (s *Step) outcome(started []*Step) (snapshot.Map, []string) {
	next := s.artifacts
	settled := map[string]*Step{}
	var conflicts []string
	for _, c := range started {
		for _, change := range snapshot.Changed(c.input, c.artifacts) {
			own := s.artifacts.Get(change.Name)
			other, twice := settled[change.Name]
			if !own.Equal(c.branch.before.Get(change.Name)) && !own.Equal(change.After) {
				conflicts = append(conflicts, fmt.Sprintf("%q by %v and its caller", change.Name, c.frame))
			}
			if twice && !other.artifacts.Get(change.Name).Equal(change.After) {
				conflicts = append(conflicts, fmt.Sprintf("%q by %v and %v", change.Name, other.frame, c.frame))
			}
			if twice {
				continue
			}
			settled[change.Name] = c
			if !own.Equal(change.After) {
				next = changed(next, change)
			}
		}
	}
	slices.Sort(conflicts)
	return next, conflicts
}

func changed(m snapshot.Map, c snapshot.Change) snapshot.Map {
	if c.After == nil {
		return m.Without(c.Name)
	}
	return m.With(c.Name, c.After)
}
