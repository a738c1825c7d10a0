package natsfleet

import (
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
)

// A run that has waited has one more message in the queue until it is settled. The
// server hands that to some worker now and then, who looks whether an answer has come
// past the fleet: by the command line, say, or from a process that was killed
// before it could put the run into the queue.

// lookout stands in subjects where a flow stands otherwise. No flow is called so: in
// their names two hex digits follow an equals sign.
const lookout = "=lookout"

// seldom is how many silences lie between two looks in the end. At first it is one.
const seldom = 10

func (f *Fleet) lookoutSubject(runID string) string {
	return f.queueName() + "." + lookout + "." + escaped(runID)
}

// lookOut looks at runs that wait, one after the other, until the context ends. It
// takes no place from those who work.
func (w *worker) lookOut() {
	var from jetstream.Consumer
	for w.ctx.Err() == nil {
		m, err := w.pullOne(source{name: lookout}, &from)
		if m != nil {
			w.look(m)
			continue
		}
		w.missed(err, &from)
	}
}

// look puts a run into the queue if it was answered. Who has its message then, if
// there is one already, takes the answer.
func (w *worker) look(m jetstream.Msg) {
	f := w.fleet
	meta, err := m.Metadata()
	runID, ok := unescaped(m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:])
	if err != nil || !ok {
		f.log(slog.LevelError, "message of no run", "subject", m.Subject())
		_ = m.Term()
		return
	}
	t, err := f.ticket(w.ctx, runID)
	if err == nil && t.settled() || errors.Is(err, agentgraph.ErrNoRun) && meta.NumDelivered > surely {
		w.unwatch(m, runID)
		return
	}
	if err == nil {
		err = w.wakeAnswered(t)
	}
	if err != nil && w.ctx.Err() == nil {
		f.log(slog.LevelWarn, "run that waits was not looked at", "run", runID, "error", err)
	}
	_ = m.NakWithDelay(time.Duration(min(meta.NumDelivered, seldom)) * f.options.Silence)
}

func (w *worker) wakeAnswered(t *ticket) error {
	f := w.fleet
	info, err := agentgraph.Inspect(w.ctx, f.store, t.Run)
	if err != nil || info.Status != agentgraph.RunAnswered {
		return err
	}
	_, err = f.enqueue(w.ctx, f.queueSubject(t.Flow, t.Run))
	return err
}

// unwatch takes the message of a run that is settled out of the queue. If the run
// began to wait again before that was done, it found the message there, and needs
// another one.
func (w *worker) unwatch(m jetstream.Msg, runID string) {
	if m.DoubleAck(w.ctx) != nil {
		return // it comes again
	}
	t, err := w.fleet.ticket(w.ctx, runID)
	if err == nil && !t.settled() {
		_, _ = w.fleet.enqueue(w.ctx, w.fleet.lookoutSubject(runID))
	}
}
