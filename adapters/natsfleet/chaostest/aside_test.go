package chaostest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// TestSetAside: a run that kills its workers is set aside with its story, and the
// others go on.
func TestSetAside(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w := worker{
		URLs: embedded(t).URL(), Options: natsfleet.Options{Silence: time.Second, Deaths: 3},
		Log: filepath.Join(t.TempDir(), "diary"), AtOnce: 1,
	}
	f, err := w.fleet(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, register(f, &diary{}))
	require.NoError(t, f.Submit(ctx, "poison", "bad", map[string]any{"id": "bad"}))

	for range 3 {
		p := newProcess(t, child{Worker: &w})
		require.Equal(t, 3, p.exitCode())
	}
	p := newProcess(t, child{Worker: &w})
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
	text, err := os.ReadFile(w.Log)
	require.NoError(t, err)
	require.Equal(t, "before\n", string(text))

	require.NoError(t, f.Submit(ctx, "chaos", "good", map[string]any{"id": "good"}))
	_, err = f.Wait(ctx, "good")
	require.NoError(t, err)

	require.NoError(t, f.Retry(ctx, "bad"))
	require.Equal(t, 3, p.exitCode(), "it gets one more")
	p = newProcess(t, child{Worker: &w})
	_, err = f.Wait(ctx, "bad")
	require.ErrorIs(t, err, natsfleet.ErrSetAside)
	require.NoError(t, p.stop())
}
