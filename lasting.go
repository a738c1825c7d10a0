package agentgraph

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// grace is how long a write may go on after the end of its run's context, so that what
// was done is kept.
const grace = 5 * time.Second

// write makes entries durable, those noted before them first.
func (r *run) write(drafts ...*journal.Draft) error {
	ctx, done := r.writing()
	defer done()
	return r.taken(r.writer.Write(ctx, drafts...))
}

// writeTurn makes a turn durable.
func (r *run) writeTurn(key journal.Taking, d *journal.Draft) error {
	ctx, done := r.writing()
	defer done()
	return r.taken(r.writer.WriteTurn(ctx, key, d))
}

// writing is the context of a write that begins now.
func (r *run) writing() (context.Context, context.CancelFunc) {
	select {
	case <-r.stopped:
		return context.WithTimeout(context.WithoutCancel(r.lasting), grace)
	default:
		return r.lasting, func() {}
	}
}

// outlast makes the context of the writes that are under way when a context ends.
func (r *run) outlast(ctx context.Context) (stop func()) {
	lasting, give := context.WithCancel(context.WithoutCancel(ctx))
	r.lasting, r.stopped = lasting, ctx.Done()
	var timer *time.Timer
	timed := make(chan struct{})
	off := context.AfterFunc(ctx, func() {
		timer = time.AfterFunc(grace, give)
		close(timed)
	})
	return func() {
		if !off() {
			<-timed
			timer.Stop()
		}
		give()
	}
}
