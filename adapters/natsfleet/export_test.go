package natsfleet

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Mute keeps the fleet's workers from saying that they are still at it.
func (f *Fleet) Mute() { f.pulse = time.Hour }

// Unwatch lets a worker take the lookout's message of a run out of the queue.
func (f *Fleet) Unwatch(ctx context.Context, m jetstream.Msg, runID string) {
	(&worker{fleet: f, ctx: ctx}).unwatch(m, runID)
}

// Look lets a worker look at a run of which it has the lookout's message.
func (f *Fleet) Look(ctx context.Context, m jetstream.Msg) {
	(&worker{fleet: f, ctx: ctx}).look(m)
}
