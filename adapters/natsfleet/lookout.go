package natsfleet

import (
	"errors"
	"log/slog"
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
		m, err := w.pullOne(source{name: lookout}, longPull, &from)
		if m != nil {
			w.look(m)
			continue
		}
		w.missed(err, &from)
	}
}

// look puts a run into the queue that should be there. Who has its message then, if
// there is one already, goes on with it.
func (w *worker) look(m jetstream.Msg) {
	f := w.fleet
	runID, ok := f.runOf(m)
	meta, err := m.Metadata()
	if err != nil || !ok {
		return
	}
	t, err := f.ticket(w.ctx, runID)
	if err == nil && t.settled() || errors.Is(err, agentgraph.ErrNoRun) && meta.NumDelivered > surely {
		w.unwatch(m, runID)
		return
	}
	if err == nil {
		err = w.rouse(t)
	}
	switch {
	case err == nil:
		_ = m.NakWithDelay(time.Duration(min(meta.NumDelivered, seldom)) * f.options.Silence)
	case w.ctx.Err() != nil:
		_ = m.Nak() // another worker looks
	default:
		f.log(slog.LevelWarn, "run that waits was not looked at", "run", runID, "error", err)
		_ = m.NakWithDelay(f.options.Silence)
	}
}

// rouse puts a run into the queue that was answered, or whose last attempt is over
// though the run is not settled. Such a run is in the queue already, unless a worker
// that had lost it to another one took the other's message out. The clock decides
// nothing where the message is.
func (w *worker) rouse(t *ticket) error {
	f := w.fleet
	info, err := agentgraph.Inspect(w.ctx, f.store, t.Run)
	if err != nil {
		return err
	}
	switch info.StatusAt(time.Now()) {
	case agentgraph.RunNone, agentgraph.RunRunning, agentgraph.RunWaiting:
		return nil
	}
	_, err = f.enqueue(w.ctx, f.queueSubject(t.Flow, t.Run))
	return err
}

// unwatch takes the message of a run that is settled out of the queue. If the run
// began to wait again before that was done, it found the message there, and needs
// another one, also where it is not known whether that is gone.
func (w *worker) unwatch(m jetstream.Msg, runID string) {
	ctx, stop := outlasting(w.ctx, lastWrites)
	defer stop()
	_ = m.DoubleAck(ctx)
	t, err := w.fleet.ticket(ctx, runID)
	if err == nil && !t.settled() {
		_, _ = w.fleet.enqueue(ctx, w.fleet.lookoutSubject(runID))
	}
}
