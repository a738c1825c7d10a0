package agentgraph

import (
	"context"
	"errors"
	"log/slog"
	"slices"
)

// Observer is told, as it happens, what runs do: for traces and metrics. Any of its
// functions may be nil. They are called from the goroutine that does the work, so
// that it waits for them; for steps that were started with Go, from several at once.
// They cannot change what a run does: a panic in them is told to the Logger, and so is
// a context from Begin that is not made from its own, which counts as nil. One that
// calls runtime.Goexit, as FailNow of a test does, ends the goroutine that it is called
// from, and with it what that goroutine does.
type Observer struct {
	// Begin is called when something begins, with the context that it is in. What it
	// returns, a context made from that one, is the context of the work itself and of
	// all that begins in it; nil leaves the context as it is.
	Begin func(ctx context.Context, e Event) context.Context

	// End is called when it is over, with the context from Begin: once for each
	// Begin, and for a step after its outcome is durable.
	End func(ctx context.Context, e Event)

	// Skipped is called in place of the two for a step that was skipped, and for a
	// turn of a durable meeting that was, with the context of what it is in. Turns come
	// in their order, on the goroutine that called [RunMeeting]; no other turn waits.
	Skipped func(ctx context.Context, e Event)
}

// Event is what an [Observer] is told of. It is told of turns that are skipped; those
// that are taken are seen by [Middleware], whose context is made from that of the
// meeting's step.
type Event struct {
	Kind      EventKind
	Resumable string // name
	RunID     string // empty for a run without one
	Attempt   int    // from 1; 0 of a run as long as it has not begun one, or without an ID
	Name      string // of a step
	Step      string // path; of a turn, that of the meeting's step; empty for a run and an attempt
	Index     []int  // of a step, its place in the tree
	Agent     string // of an agent step, or of a turn
	Turn      int    // which of the agent's turns, from 0
	Status    StepStatus
	Err       error // at the end
}

// EventKind says what an event is about.
type EventKind string

// The kinds of events. A run is one call of [Resumable.Run]. In it is one attempt,
// once the journal is read and taken, and in that are the steps.
const (
	EventRun     EventKind = "run"
	EventAttempt EventKind = "attempt"
	EventStep    EventKind = "step"
	EventTurn    EventKind = "turn" // skipped
)

// observed is do, which an observer hears of.
func (r *run) observed(ctx context.Context, in map[string]any) (err error) {
	ctx = r.begin(ctx, Event{Kind: EventRun})
	done := false
	defer func() {
		if !done { // runtime.Goexit was called
			err = errGoexit
		}
		r.over(ctx, Event{Kind: EventRun}, err)
	}()
	err = r.do(ctx, in)
	done = true
	return err
}

// begin tells that something begins, and returns the context for it.
func (r *run) begin(ctx context.Context, e Event) context.Context {
	o := r.resumable.options.Observer
	if o == nil || o.Begin == nil {
		return ctx
	}
	e.Status = StatusStarted
	inner := ctx
	r.tell(ctx, func() {
		derived := o.Begin(context.WithValue(ctx, beginKey{}, &e), r.event(e))
		switch {
		case derived == nil:
		case derived.Value(beginKey{}) != any(&e):
			r.log(ctx, slog.LevelError, "observer failed", "error", "lost the context: derive the one that Begin returns from its own")
		default:
			inner = derived
		}
	})
	return inner
}

// beginKey is under which a context tells which call of Begin it was given to.
type beginKey struct{}

// over tells how something ended.
func (r *run) over(ctx context.Context, e Event, err error) {
	o := r.resumable.options.Observer
	if o == nil || o.End == nil {
		return
	}
	e.Err, e.Status = err, StatusExecuted
	switch {
	case errors.Is(err, ErrWaiting):
		e.Status = StatusWaiting
	case err != nil:
		e.Status = StatusError
	}
	r.tell(ctx, func() { o.End(ctx, r.event(e)) })
}

// watched says whether an observer hears of what is skipped.
func (r *run) watched() bool {
	o := r.resumable.options.Observer
	return o != nil && o.Skipped != nil
}

// passed tells that something was skipped.
func (r *run) passed(ctx context.Context, e Event) {
	if !r.watched() {
		return
	}
	e.Status = StatusCached
	r.tell(ctx, func() { r.resumable.options.Observer.Skipped(ctx, r.event(e)) })
}

func (r *run) event(e Event) Event {
	e.Resumable, e.RunID, e.Attempt, e.Index = r.resumable.name, r.id, r.attempt, slices.Clone(e.Index)
	return e
}

// tell calls an observer.
func (r *run) tell(ctx context.Context, f func()) {
	if err := protected(func() error { f(); return nil }); err != nil {
		r.log(ctx, slog.LevelError, "observer failed", "error", plain(err))
	}
}

// event is what is told of a step.
func (s *Step) event() Event {
	return Event{Kind: EventStep, Name: s.frame.node.StepName, Step: s.frame.path, Index: s.frame.index, Agent: s.frame.node.Agent}
}

// begins tells that the step begins.
func (s *Step) begins() {
	if s.run.resumable.options.Observer == nil {
		return
	}
	s.told = true
	s.ctx = s.run.begin(s.ctx, s.event())
}

// passes tells that the step is skipped.
func (s *Step) passes() {
	s.skipped = true
	if s.run.resumable.options.Observer != nil {
		s.run.passed(s.up.ctx, s.event())
	}
}

// ended tells how the step ended, unless it was skipped.
func (s *Step) ended(err error) {
	if s.skipped || s.run.resumable.options.Observer == nil {
		return
	}
	if !s.told { // it came to nothing before its body
		s.begins()
	}
	s.run.over(s.ctx, s.event(), err)
}
