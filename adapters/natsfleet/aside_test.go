package natsfleet_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// TestSetAside: a run that kills its workers is set aside with its story, and the
// others go on.
func TestSetAside(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	srv := embedded(t, listening)
	o := natsfleet.Options{Silence: time.Second, Deaths: 3}
	log := filepath.Join(t.TempDir(), "diary")
	nc, err := nats.Connect(srv.URL(), patient()...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	f, err := natsfleet.Open(ctx, nc, o)
	require.NoError(t, err)
	require.NoError(t, register(f, &diary{}))
	require.NoError(t, f.Submit(ctx, "poison", "bad", map[string]any{"id": "bad"}))

	for range 3 {
		p := workers(t, 1, workerChild{URLs: srv.URL(), Options: o, Log: log, AtOnce: 1})[0]
		require.Equal(t, 3, exitCode(p))
	}
	p := workers(t, 1, workerChild{URLs: srv.URL(), Options: o, Log: log, AtOnce: 1})[0]
	result, err := f.Wait(ctx, "bad")
	require.ErrorIs(t, err, natsfleet.ErrSetAside)
	require.EqualError(t, err, `agentgraph: run "bad" of "poison": run was set aside, it kills its workers`)
	require.Len(t, result.Steps, 2)
	s, err := f.Status(ctx, "bad")
	require.NoError(t, err)
	require.Equal(t, natsfleet.SetAside, s.State)
	require.Len(t, s.Story, 3)
	require.Equal(t, "before", s.Story[0].Done)
	for i, death := range s.Story {
		require.Equal(t, i+1, death.Attempt)
		require.Equal(t, []string{"deadly"}, death.Steps)
		require.False(t, death.Last.Before(death.Began))
	}
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, "before\n", string(text))

	require.NoError(t, f.Submit(ctx, "chaos", "good", map[string]any{"id": "good"}))
	settled(t, f, "good")

	require.NoError(t, f.Retry(ctx, "bad"))
	require.Equal(t, 3, exitCode(p), "it gets one more")
	p = workers(t, 1, workerChild{URLs: srv.URL(), Options: o, Log: log, AtOnce: 1})[0]
	_, err = f.Wait(ctx, "bad")
	require.ErrorIs(t, err, natsfleet.ErrSetAside)
	require.NoError(t, p.stop())
}

// exitCode waits for a process that ends by itself.
func exitCode(p *process) int {
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}
