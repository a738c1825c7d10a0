package natsfleet

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// shift is one worker's work on one run, from its message to what becomes of it.
type shift struct {
	fleet  *Fleet
	flow   *flow
	msg    jetstream.Msg
	runID  string
	ticket *ticket
	writes context.Context // outlasts the stop of the worker
	word   chan struct{}
	cancel context.CancelCauseFunc
}

// take works on a run. However it ends, its message is acknowledged, handed back, or
// left to the server, which hands it to another worker after a silence.
func (w *worker) take(fl *flow, m jetstream.Msg) {
	f := w.fleet
	runID, ok := f.runOf(m)
	if !ok {
		return
	}
	writes, stop := outlasting(w.ctx, f.options.Grace+lastWrites)
	defer stop()
	ctx, stop := outlasting(w.ctx, f.options.Grace)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &shift{fleet: f, flow: fl, msg: m, runID: runID, writes: writes, word: make(chan struct{}, 1), cancel: cancel}
	w.enter(s)
	defer w.leave(s)
	s.work(ctx)
}

// runOf is the run that a message is about. One that is about none is never handed out
// again.
func (f *Fleet) runOf(m jetstream.Msg) (runID string, ok bool) {
	runID, ok = unescaped(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
	if !ok {
		f.log(slog.LevelError, "message of no run", "subject", m.Subject())
		_ = m.Term()
	}
	return runID, ok
}

// lastWrites is how long a stopped worker may take to say what became of a run.
const lastWrites = 5 * time.Second

func (w *worker) enter(s *shift) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active[s] = struct{}{}
}

func (w *worker) leave(s *shift) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, s)
}

func (s *shift) log(level slog.Level, msg string, args ...any) {
	s.fleet.log(level, msg, append([]any{"flow", s.flow.work.Name(), "run", s.runID}, args...)...)
}

func (s *shift) work(ctx context.Context) {
	stop := s.pulse()
	defer stop()
	var err error
	if s.ticket, err = s.fleet.ticket(s.writes, s.runID); err != nil {
		s.lost(err)
		return
	}
	if s.ticket.settled() {
		s.ack()
		return
	}
	if s.killed(ctx) {
		return
	}
	for {
		_, err = s.flow.work.Run(ctx, s.runID, s.ticket.given())
		if !errors.Is(err, agentgraph.ErrWaiting) {
			break
		}
		answered, unsure := s.rests(attemptOf(err))
		if errors.Is(unsure, agentgraph.ErrRunTaken) {
			err = unsure
			break
		}
		if unsure != nil {
			s.later(unsure)
			return
		}
		if !answered {
			break
		}
	}
	s.ended(ctx, err)
}

// killed sets a run aside that has killed too often.
func (s *shift) killed(ctx context.Context) bool {
	meta, err := s.msg.Metadata()
	if err != nil || meta.NumDelivered < 2 {
		return false
	}
	story, err := s.fleet.deaths(ctx, s.ticket)
	if err != nil || len(story) < s.fleet.options.Deaths {
		return false // an error comes again from the run itself
	}
	s.ticket.Story = story[max(0, len(story)-longStory):]
	s.settle(SetAside)
	return true
}

// rests has the run looked after from now on, and tells whether anything was answered
// since the attempt began, which may or may not have seen it; the next one does. This
// must be asked last, just before the message is acknowledged: see [Fleet.Wake]. Where
// another attempt has begun, the message is another worker's by now, whose run would
// leave the queue with it, and that is [agentgraph.ErrRunTaken].
func (s *shift) rests(attempt int) (answered bool, err error) {
	if _, err := s.fleet.enqueue(s.writes, s.fleet.lookoutSubject(s.runID)); err != nil {
		return false, err
	}
	for r, err := range s.fleet.store.Read(s.writes, s.runID, 0) {
		if err != nil {
			return false, err
		}
		switch r.Kind {
		case journal.KindAttempt:
			attempt, answered = attempt-1, false
		case journal.KindAnswer:
			answered = true
		}
	}
	if attempt < 0 {
		return false, agentgraph.ErrRunTaken
	}
	return answered, nil
}
