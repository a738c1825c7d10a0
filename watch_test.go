package agentgraph_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// kinds are those of a run's records.
func kinds(t *testing.T, store agentgraph.Store, runID string) []string {
	t.Helper()
	var kinds []string
	for r, err := range store.Read(context.Background(), runID, 0) {
		require.NoError(t, err)
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// TestAlive: a run says once a minute that it goes on while nothing else is to be
// said; when its process is killed, that ends.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stopping{Store: agentgraph.NewMemStore()}
		ctx, cancel := context.WithCancel(context.Background())
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			if err := s.Step("half", func(*agentgraph.Step) error { time.Sleep(30 * time.Second); return nil }); err != nil {
				return err
			}
			<-s.Context().Done() // in no step
			return nil
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(ctx, "run", nil); done <- err }()
		stands := func() agentgraph.RunStatus {
			info, err := agentgraph.Inspect(context.Background(), store.Store, "run")
			require.NoError(t, err)
			return info.StatusAt(time.Now())
		}
		for range 2*60 + 45 {
			time.Sleep(time.Second)
			require.Equal(t, agentgraph.RunRunning, stands())
		}
		require.Equal(t, []string{"attempt", "begin", "step", "alive", "alive"}, kinds(t, store.Store, "run"))
		store.dead = true // at 2m45s, when the last word was that of 2m30s
		time.Sleep(time.Minute + 44*time.Second)
		require.Equal(t, agentgraph.RunRunning, stands())
		time.Sleep(2 * time.Second)
		require.Equal(t, agentgraph.RunInterrupted, stands())
		cancel()
		require.Error(t, <-done)
	})
}

// TestAliveFindsItsRunTaken: one whose run another has begun learns of it in the
// middle of a step that lasts.
func TestAliveFindsItsRunTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := agentgraph.NewMemStore()
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			return s.Step("long", func(s *agentgraph.Step) error { <-s.Context().Done(); return context.Cause(s.Context()) })
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(context.Background(), "run", nil); done <- err }()
		time.Sleep(time.Second)
		other := agentgraph.NewResumable("job", func(*agentgraph.Step) error { return nil }, &agentgraph.ResumableOptions{Store: store})
		_, err := other.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.ErrorIs(t, <-done, agentgraph.ErrRunTaken)
		require.Equal(t, []string{"attempt", "begin", "attempt", "end"}, kinds(t, store, "run"))
	})
}

func TestStatusAt(t *testing.T) {
	last := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status agentgraph.RunStatus
		after  time.Duration
		want   agentgraph.RunStatus
	}{
		{agentgraph.RunRunning, -time.Hour, agentgraph.RunRunning},
		{agentgraph.RunRunning, 2 * time.Minute, agentgraph.RunRunning},
		{agentgraph.RunRunning, 2*time.Minute + 1, agentgraph.RunInterrupted},
		{agentgraph.RunFinished, time.Hour, agentgraph.RunFinished},
		{agentgraph.RunWaiting, time.Hour, agentgraph.RunWaiting},
		{agentgraph.RunFailed, time.Hour, agentgraph.RunFailed},
		{agentgraph.RunNone, time.Hour, agentgraph.RunNone},
	} {
		info := agentgraph.RunInfo{Status: c.status, Last: last}
		require.Equal(t, c.want, info.StatusAt(last.Add(c.after)), "%q after %v", c.status, c.after)
	}
}
