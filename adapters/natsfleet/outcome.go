package natsfleet

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

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

// failed: an error counts as the flow's own if the journal says that this attempt
// failed. Otherwise it was the store that failed, which passes, but for damage and
// for what is too large for it: that would be done again and again.
func (s *shift) failed(err error) {
	info, unread := agentgraph.Inspect(s.writes, s.fleet.store, s.runID)
	hopeless := errors.Is(err, agentgraph.ErrTooLarge) || errors.Is(unread, agentgraph.ErrCorrupt) || errors.Is(err, agentgraph.ErrCorrupt)
	switch {
	case hopeless, unread == nil && info.Status == agentgraph.RunNone && errors.Is(err, agentgraph.ErrNoBody):
		s.ticket.Error = brief(err)
		s.settle(Failed)
	case unread != nil || info.Status != agentgraph.RunFailed || info.Attempts != attemptOf(err):
		s.cut(err)
	case IsPassing(err):
		s.retry(err)
	default:
		s.ticket.Error = brief(err)
		s.settle(Failed)
	}
}

// cut hands the run back after an attempt that its store has ended. Nobody died of
// that, and the ticket says so; if that cannot be written either, it looks as if.
func (s *shift) cut(err error) {
	s.ticket.Error = brief(err)
	s.ticket.Survived = max(s.ticket.Survived, attemptOf(err))
	_ = s.fleet.put(s.writes, s.ticket)
	s.later(err)
}

// attemptOf is which attempt at a run an error ended, 0 if none had begun.
func attemptOf(err error) int {
	if e, ok := errors.AsType[*agentgraph.StepError](err); ok {
		return e.Attempt
	}
	return 0
}

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

// lost: the ticket cannot be read. A run that was forgotten leaves the queue, if the
// servers still say so some deliveries later: one who has just lost its lead might
// not know of it.
func (s *shift) lost(err error) {
	meta, unread := s.msg.Metadata()
	if unread == nil && meta.NumDelivered > surely && errors.Is(err, agentgraph.ErrNoRun) {
		s.log(slog.LevelWarn, "run is not known")
		s.ack()
		return
	}
	s.later(err)
}

// surely is after how many deliveries a ticket that is not found is not there.
const surely = 3

// brief is the text of an error, as far as a ticket takes it.
func brief(err error) string {
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), longText)], "\uFFFD")
}

const longText = 4 << 10
