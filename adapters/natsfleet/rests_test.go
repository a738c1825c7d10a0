package natsfleet_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// holding is a store in which reading waits for release, once an attempt has ended.
type holding struct {
	agentgraph.Store
	ended, release chan struct{}
}

func (h holding) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	err := h.Store.Append(ctx, runID, after, records...)
	for _, r := range records {
		if err == nil && r.Kind == journal.KindEnd {
			close(h.ended)
		}
	}
	return err
}

func (h holding) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	select {
	case <-h.ended:
		<-h.release
	default:
	}
	return h.Store.Read(ctx, runID, after)
}

// TestRestsInOtherHands: a worker is cut off before it gives up a run that waits. The
// run is answered and goes on with another worker, whose message the first one leaves
// in the queue.
func TestRestsInOtherHands(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	began, finish := make(chan struct{}), make(chan struct{})
	flow := agentgraph.NewResumable("ask", func(s *agentgraph.Step) error {
		if _, err := agentgraph.Ask[int](s, "p", nil); err != nil {
			return err
		}
		return s.Step("work", func(s *agentgraph.Step) error {
			close(began)
			select {
			case <-finish:
			case <-s.Context().Done():
			}
			return s.Context().Err()
		})
	}, nil)
	store := agentgraph.NewMemStore()
	h := holding{store, make(chan struct{}), make(chan struct{})}
	one := fleet(t, nc, natsfleet.Options{Silence: time.Second, Store: h}, flow)
	one.Mute()
	two := fleet(t, nc, natsfleet.Options{Silence: time.Second, Store: store}, flow)

	stop := work(t, one, 1)
	require.NoError(t, one.Submit(ctx, "ask", "run", nil))
	<-h.ended
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "p", 1))
	work(t, two, 1)
	<-began
	close(h.release)
	stop()
	require.EqualValues(t, 2, queued(t, nc), "the run, and its lookout")
	close(finish)
	settled(t, two, "run")
}
