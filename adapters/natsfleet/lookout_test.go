package natsfleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// asking asks two questions, one after the other.
func asking() *agentgraph.Resumable {
	return agentgraph.NewResumable("ask", func(s *agentgraph.Step) error {
		for _, q := range []string{"p", "q"} {
			if _, err := agentgraph.Ask[int](s, q, nil); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

// journals are those of the fleet, opened past it.
func journals(t *testing.T, nc *nats.Conn) agentgraph.Store {
	store, err := natsstore.Open(within(t), nc, &natsstore.Options{Stream: "agentgraph-journal"})
	require.NoError(t, err)
	return store
}

// asks waits until a run asks for something.
func asks(t *testing.T, f *natsfleet.Fleet, runID, step string) {
	for {
		if q := status(t, f, runID, natsfleet.Waiting).Questions; len(q) == 1 && q[0].Step == step {
			return
		}
	}
}

// TestAnsweredPastTheFleet: the workers find each answer by themselves, and nothing
// is left in the queue.
func TestAnsweredPastTheFleet(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{Silence: time.Second}, asking())
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "ask", "run", nil))
	require.NoError(t, f.Submit(ctx, "ask", "gone", nil))
	for n, q := range []string{"p", "q"} {
		asks(t, f, "run", q)
		require.NoError(t, agentgraph.Answer(ctx, journals(t, nc), "run", q, n))
	}
	require.Equal(t, agentgraph.Artifacts{"p": []byte("0"), "q": []byte("1")}, settled(t, f, "run"))
	asks(t, f, "gone", "p")
	require.NoError(t, f.Cancel(ctx, "gone"))
	require.NoError(t, f.Forget(ctx, "gone"))
	for queued(t, nc) > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

// queued is how many messages there are in the queue.
func queued(t *testing.T, nc *nats.Conn) uint64 {
	return queue(t, nc).CachedInfo().State.Msgs
}

func queue(t *testing.T, nc *nats.Conn) jetstream.Stream {
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	s, err := js.Stream(within(t), "agentgraph-queue")
	require.NoError(t, err)
	return s
}

// TestWake: who does not want to wait until an answer is found can say so.
func TestWake(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{Silence: time.Hour}, asking())
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "ask", "run", nil))
	for n, q := range []string{"p", "q"} {
		asks(t, f, "run", q)
		require.NoError(t, agentgraph.Answer(ctx, journals(t, nc), "run", q, n))
		status(t, f, "run", natsfleet.Queued)
		require.NoError(t, f.Wake(ctx, "run"))
	}
	require.Equal(t, "1", string(settled(t, f, "run")["q"]))
	require.NoError(t, f.Wake(ctx, "run"))
	require.ErrorIs(t, f.Wake(ctx, "none"), agentgraph.ErrNoRun)
}

// leaveWaiting submits a run and has it worked on until it waits, with the lookout's
// message alone in the queue.
func leaveWaiting(t *testing.T, nc *nats.Conn, f *natsfleet.Fleet) {
	stop := work(t, f, 1)
	require.NoError(t, f.Submit(within(t), "ask", "run", nil))
	asks(t, f, "run", "p")
	for queued(t, nc) != 1 { // the run's own message has gone
		time.Sleep(5 * time.Millisecond)
	}
	stop()
}

// TestOnTheLookout: a run that waits is looked after, also when its message goes out of
// the queue just after it began to wait again.
func TestOnTheLookout(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{Silence: time.Hour}, asking())
	leaveWaiting(t, nc, f)
	s := queue(t, nc)
	require.NoError(t, s.DeleteConsumer(ctx, "=lookout"))
	c, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: "agentgraph-queue.=lookout.*", AckPolicy: jetstream.AckExplicitPolicy})
	require.NoError(t, err)
	m, err := c.Next()
	require.NoError(t, err)
	before, err := m.Metadata()
	require.NoError(t, err)

	f.Unwatch(ctx, m, "run")
	again, err := c.Next()
	require.NoError(t, err)
	after, err := again.Metadata()
	require.NoError(t, err)
	require.Greater(t, after.Sequence.Stream, before.Sequence.Stream)
	require.EqualValues(t, 1, queued(t, nc))

	require.NoError(t, f.Cancel(ctx, "run"))
	f.Unwatch(ctx, again, "run")
	require.Zero(t, queued(t, nc))
}

// TestRunThatFellOutOfTheQueue: one that waited, and whose last attempt was broken off
// after that, is found without a message of its own.
func TestRunThatFellOutOfTheQueue(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{Silence: time.Second}, asking())
	leaveWaiting(t, nc, f)
	store := journals(t, nc)
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "p", 0))
	short, cancel := context.WithCancel(ctx)
	_, err := agentgraph.NewResumable("ask", func(*agentgraph.Step) error { cancel(); return short.Err() }, nil).On(store).Run(short, "run", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, agentgraph.RunInterrupted, status(t, f, "run", natsfleet.Queued).Run.Status)
	require.EqualValues(t, 1, queued(t, nc))

	work(t, f, 1)
	asks(t, f, "run", "q")
}

// TestLookThatIsCutShort: a worker that stops leaves the look to another one.
func TestLookThatIsCutShort(t *testing.T) {
	t.Parallel()
	ctx, nc := within(t), connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{Silence: time.Hour}, asking())
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	_, err = js.Publish(ctx, "agentgraph-queue.=lookout.run", nil)
	require.NoError(t, err)
	c, err := queue(t, nc).CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: "agentgraph-queue.=lookout.*", AckPolicy: jetstream.AckExplicitPolicy})
	require.NoError(t, err)
	m, err := c.Next()
	require.NoError(t, err)

	over, cancel := context.WithCancel(ctx)
	cancel()
	f.Look(over, m)
	again, err := c.Next()
	require.NoError(t, err)
	require.Equal(t, m.Subject(), again.Subject())
}
