package agentgraph

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// work is what a step does beside what all do.
type work struct {
	prepare func(*Step) error                // before it is known whether it is skipped
	skipped func(*Step, *journal.Step) error // nil: the states of agents wait
	body    func(*Step) error
}

// perform skips the step or runs it, and says what came of it.
func (s *Step) perform(w work) (err error) {
	done := false
	defer func() {
		if !done { // runtime.Goexit was called: this goroutine ends
			err := s.fail(caught(nil))
			s.ended(err)
			if s.branch != nil {
				s.branch.err = err
			}
		}
	}()
	err = protected(func() error { return s.try(w) })
	if err != nil {
		err = s.fail(err)
	}
	done = true
	s.ended(err)
	return err
}

func (s *Step) try(w work) error {
	if err := s.failing(); err != nil {
		return err
	}
	if w.prepare != nil {
		if err := w.prepare(s); err != nil {
			return err
		}
	}
	if done := s.recorded(); done != nil {
		if err := s.skip(done, w.skipped); !errors.Is(err, errNotRecorded) {
			return err
		}
	}
	s.opened()
	s.begins()
	if err := s.call(w.body); err != nil {
		return err
	}
	return s.succeed()
}

// recorded returns what the step did before on the same input.
func (s *Step) recorded() *journal.Step {
	if s.run.history == nil {
		return nil
	}
	return s.run.history.Find(s.frame.path, s.run.history.Input(s.input, s.also))
}

// call runs a body, and what it started with Go, to the end. The handle is good
// until the body returns.
func (s *Step) call(body func(*Step) error) error {
	if body == nil {
		return fmt.Errorf("%s%w: %v", prefix, ErrNoBody, s.frame)
	}
	returned := false
	defer func() {
		if !returned { // runtime.Goexit was called
			_ = s.shut()
			_ = s.abandon()
		}
	}()
	err := protected(func() error { return body(s) })
	returned = true
	if fault := s.shut(); err == nil {
		err = fault
	}
	if err != nil {
		if kept := s.abandon(); kept != nil {
			return errors.Join(err, kept)
		}
		return err
	}
	return s.wait()
}

// protected makes an error of a panic.
func protected(f func() error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	err = f()
	returned = true
	return err
}

// skip makes the artifacts and the agents what they were after the step was done.
func (s *Step) skip(done *journal.Step, skipped func(*Step, *journal.Step) error) error {
	if skipped == nil {
		skipped = (*Step).keepStates
	}
	if err := skipped(s, done); err != nil {
		return err
	}
	r := s.run
	r.mu.Lock()
	s.artifacts, s.left = done.Out, done.Left
	s.noteAbove()
	r.writer.Skip(s.frame.index, s.frame.at, done, s.extra, s.frame.node.Agent)
	s.known, s.base = done.ID, done.Out
	s.finish(StatusCached)
	r.mu.Unlock()
	r.log(s.ctx, slog.LevelDebug, "step skipped", "step", s.frame.path)
	s.passes()
	return nil
}

// keepStates lets the states of a skipped step's agents wait until those are used.
func (s *Step) keepStates(done *journal.Step) error {
	for name, state := range done.Left.All() {
		s.waiting = s.waiting.With(name, state)
	}
	return nil
}

// succeed makes the outcome durable.
func (s *Step) succeed() error {
	r := s.run
	if r.writer != nil {
		r.mu.Lock()
		s.noteAbove()
		d := s.draft(journal.KindStep)
		d.Set = snapshot.Rewritten(s.input, s.artifacts)
		d.States = snapshot.Rewritten(r.key.Empty(), s.left)
		d.Answers = s.answers
		r.mu.Unlock()
		if err := r.write(&d); err != nil {
			return err
		}
	}
	r.mu.Lock()
	s.known, s.base = s.id, s.artifacts
	if r.writer != nil {
		s.keepOwned()
	}
	s.finish(StatusExecuted)
	r.mu.Unlock()
	r.log(s.ctx, slog.LevelDebug, "step executed", "step", s.frame.path)
	return nil
}

// fail takes back what the step did, and returns its error.
func (s *Step) fail(err error) error {
	if restored := s.restore(); restored != nil {
		err = errors.Join(err, restored)
	}
	r := s.run
	status, outcome := StatusError, journal.Failed
	if errors.Is(err, ErrWaiting) {
		status, outcome = StatusWaiting, journal.Waits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.tell(err)
	if status == StatusError {
		s.frame.node.Error = plain(err)
	}
	s.left, s.uses = r.key.Empty(), nil
	if r.writer != nil {
		s.noteAbove()
		d := s.draft(journal.KindFail)
		d.Status, d.Error = outcome, s.frame.node.Error
		r.writer.Note(&d)
	}
	s.finish(status)
	return err
}

// restore gives the agents the states from before the step.
func (s *Step) restore() error {
	var errs []error
	for _, u := range slices.Backward(s.uses) {
		errs = append(errs, importState(u.agent, u.before))
	}
	return errors.Join(errs...)
}

// finish closes the step, and gives the outcome of a good one to its caller, unless
// that is to wait for it.
func (s *Step) finish(status StepStatus) {
	s.frame.node.Status, s.frame.node.Children = status, s.frame.children
	s.run.count(status)
	s.close()
	s.run.forget(s)
	s.handOn()
	if s.branch != nil {
		return
	}
	up := s.up
	up.child = nil
	if status != StatusExecuted && status != StatusCached {
		return
	}
	up.artifacts, up.waiting = s.artifacts, s.waiting
	up.known, up.base = s.known, s.base
	up.inherit(s)
}

// count counts the steps that ended well.
func (r *run) count(status StepStatus) {
	switch status { //nolint:exhaustive // the others did not
	case StatusExecuted:
		r.executed++
	case StatusCached:
		r.skipped++
	}
}

// inherit takes over what is known of agents, which a run has no use for.
func (s *Step) inherit(c *Step) {
	if s.up == nil {
		return
	}
	for name, state := range c.left.All() {
		s.left = s.left.With(name, state)
	}
	for _, u := range c.uses {
		s.remember(u)
	}
}

// remember keeps the first use of an agent: its state from before that comes back
// when the step fails.
func (s *Step) remember(u use) {
	if s.up == nil {
		return // a run is not atomic
	}
	if !slices.ContainsFunc(s.uses, func(v use) bool { return sameAgent(u.agent, v.agent) }) {
		s.uses = append(s.uses, u)
	}
}

// use is the use of an agent with a state, which may have to be taken back.
type use struct {
	name   string
	agent  Stateful
	before *snapshot.Value
}
