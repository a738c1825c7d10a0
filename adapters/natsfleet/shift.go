package natsfleet

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
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
	runID, ok := unescaped(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
	if !ok {
		f.log(slog.LevelError, "message of no run", "subject", m.Subject())
		_ = m.Term()
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

// lastWrites is how long a stopped worker may take to say what became of a run.
const lastWrites = 5 * time.Second

// outlasting is a context that ends some time after another one.
func outlasting(ctx context.Context, by time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	off := context.AfterFunc(ctx, func() {
		if by <= 0 {
			cancel()
			return
		}
		timer := time.AfterFunc(by, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { off(); cancel() }
}

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

// look makes the pulse come now.
func (s *shift) look() {
	select {
	case s.word <- struct{}{}:
	default:
	}
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
	for again := true; again; {
		_, err = s.flow.work.Run(ctx, s.runID, s.ticket.given())
		again = errors.Is(err, agentgraph.ErrWaiting) && s.answered(err)
	}
	s.ended(ctx, err)
}

// given is the input of a run.
func (t *ticket) given() map[string]any {
	in := make(map[string]any, len(t.Input))
	for name, raw := range t.Input {
		in[name] = raw
	}
	return in
}

// lost: the ticket cannot be read. A run that was never submitted, or was forgotten,
// leaves the queue.
func (s *shift) lost(err error) {
	if errors.Is(err, agentgraph.ErrNoRun) {
		s.log(slog.LevelWarn, "run is not known")
		s.ack()
		return
	}
	s.later(err)
}

// killed sets a run aside that has killed too often.
func (s *shift) killed(ctx context.Context) bool {
	meta, err := s.msg.Metadata()
	if err != nil || meta.NumDelivered < 2 {
		return false
	}
	story, err := s.fleet.deaths(ctx, s.runID)
	if err != nil || len(story) < s.fleet.options.Deaths {
		return false // an error comes again from the run itself
	}
	s.ticket.Story = story[max(0, len(story)-longStory):]
	s.settle(SetAside)
	return true
}

// answered tells whether an answer has come since the run began to wait. This
// must be asked before the message is acknowledged: see [Fleet.wake].
func (s *shift) answered(err error) bool {
	w, ok := errors.AsType[*agentgraph.WaitingError](err)
	if !ok {
		return false
	}
	open, err := agentgraph.Questions(s.writes, s.fleet.store, s.runID)
	return err == nil && len(open) < len(w.Questions)
}

// ended says what becomes of a run after an attempt.
func (s *shift) ended(ctx context.Context, err error) {
	switch {
	case err == nil:
		s.ticket.Error = ""
		s.settle(Finished)
	case errors.Is(err, agentgraph.ErrWaiting):
		s.log(slog.LevelInfo, "run waits")
		s.ack()
	case errors.Is(err, agentgraph.ErrRunTaken):
		s.log(slog.LevelWarn, "run was taken over") // the message is another one's
	case errors.Is(context.Cause(ctx), ErrCancelled):
		s.ack()
	case ctx.Err() != nil:
		s.back()
	default:
		s.failed(err)
	}
}

// failed: an error counts as the flow's own if the journal says that the run failed.
// Otherwise it was the store that failed, which passes.
func (s *shift) failed(err error) {
	info, unread := agentgraph.Inspect(s.writes, s.fleet.store, s.runID)
	damaged := errors.Is(unread, agentgraph.ErrCorrupt) || errors.Is(err, agentgraph.ErrCorrupt)
	switch {
	case damaged, unread == nil && info.Status == agentgraph.RunNone && errors.Is(err, agentgraph.ErrBadName):
		s.ticket.Error = brief(err)
		s.settle(Failed)
	case unread != nil || info.Status != agentgraph.RunFailed:
		s.later(err)
	case IsPassing(err):
		s.retry(err)
	default:
		s.ticket.Error = brief(err)
		s.settle(Failed)
	}
}

// brief is the text of an error, as far as a ticket takes it.
func brief(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), longText)], "\uFFFD")
}

const longText = 4 << 10

// retry counts an error that passes, and lets the server hand out the run again
// after a while.
func (s *shift) retry(err error) {
	t, b := s.ticket, s.flow.backoff
	t.Retries, t.Error = t.Retries+1, brief(err)
	if b.tries > 0 && t.Retries >= b.tries {
		s.settle(Failed)
		return
	}
	if lost := s.fleet.put(s.writes, t); lost != nil {
		s.later(lost)
		return
	}
	s.log(slog.LevelWarn, "run is tried again", "retries", t.Retries, "error", err)
	_ = s.msg.NakWithDelay(b.after(t.Retries))
}

// settle writes what became of a run into its ticket. If somebody has changed that
// meanwhile, who cancelled the run or settled it as another worker, the next to get
// the message finds out.
func (s *shift) settle(state State) {
	s.ticket.State = state
	if err := s.fleet.put(s.writes, s.ticket); err != nil {
		s.later(err)
		return
	}
	s.log(slog.LevelInfo, "run is settled", "state", state, "error", s.ticket.Error)
	s.fleet.tell(s.fleet.settledSubject(s.runID))
	s.ack()
}

// ack takes the run out of the queue. If that gets lost it is handed out again, and
// whoever gets it finds out.
func (s *shift) ack() { _ = s.msg.DoubleAck(s.writes) }

// back hands the run back, for another worker to go on at once.
func (s *shift) back() {
	s.log(slog.LevelInfo, "run is handed back")
	_ = s.msg.Nak()
	_ = s.fleet.link.nc.FlushWithContext(s.writes)
}

// later hands the run back when the store or the server fails.
func (s *shift) later(err error) {
	s.log(slog.LevelWarn, "run is handed back", "error", err)
	_ = s.msg.NakWithDelay(time.Second)
}

// pulse says now and then that the run is still worked on, and looks whether it
// should be.
func (s *shift) pulse() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(s.fleet.pulse)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				_ = s.msg.InProgress()
			case <-s.word:
			}
			s.beat(quit)
		}
	}()
	return func() { close(quit); <-done }
}

// beat stops the work if the run was cancelled.
func (s *shift) beat(quit <-chan struct{}) {
	ctx, cancel := context.WithTimeout(s.writes, s.fleet.pulse)
	defer cancel()
	go func() {
		select {
		case <-quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	if t, err := s.fleet.ticket(ctx, s.runID); err == nil && t.State == Cancelled {
		s.cancel(ErrCancelled)
	}
}
