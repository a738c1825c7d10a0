package natsfleet_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// TestFull: streams that are full refuse at once, and say so. What was refused may be
// asked again, and runs go on once there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	nc := connect(t, embedded(t))
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	change := func(name string, change func(*jetstream.StreamConfig)) {
		t.Helper()
		s, err := js.Stream(ctx, name)
		require.NoError(t, err)
		c := s.CachedInfo().Config
		change(&c)
		_, err = js.UpdateStream(ctx, c)
		require.NoError(t, err)
	}
	long := agentgraph.NewResumable("long", func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "text", func(context.Context) (string, error) { return strings.Repeat("x", 100<<10), nil })
		return err
	}, nil)
	f := fleet(t, nc, natsfleet.Options{}, flow("flow", seven), long)

	change("agentgraph-runs", func(c *jetstream.StreamConfig) { c.MaxMsgs = 2 })
	change("agentgraph-queue", func(c *jetstream.StreamConfig) { c.MaxMsgs = 1 })
	require.NoError(t, f.Submit(ctx, "flow", "a", nil))
	err = f.Submit(ctx, "flow", "b", nil) // has a ticket, and nobody is to work on it
	require.Regexp(t, `^agentgraph: run "b": nats: .*maximum messages exceeded$`, err)
	err = f.Submit(ctx, "flow", "c", nil) // has none
	require.Regexp(t, `^agentgraph: run "c": nats: .*maximum messages exceeded$`, err)
	_, err = f.Status(ctx, "c")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	work(t, f, 1)
	settled(t, f, "a")
	require.NoError(t, f.Submit(ctx, "flow", "b", nil))
	settled(t, f, "b")

	change("agentgraph-runs", func(c *jetstream.StreamConfig) { c.MaxMsgs = -1 })
	change("agentgraph-journal", func(c *jetstream.StreamConfig) { c.MaxBytes = 50 << 10 })
	require.NoError(t, f.Submit(ctx, "long", "d", nil))
	for s := status(t, f, "d", natsfleet.Working); !strings.Contains(s.Error, "maximum bytes exceeded"); {
		s = status(t, f, "d", natsfleet.Working)
	}
	change("agentgraph-journal", func(c *jetstream.StreamConfig) { c.MaxBytes = -1 })
	require.Len(t, settled(t, f, "d")["text"], 2+100<<10)
}
