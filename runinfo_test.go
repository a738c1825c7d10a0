package agentgraph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

func TestInspect(t *testing.T) {
	store := agentgraph.NewMemStore()
	inspect := func() agentgraph.RunInfo {
		info, err := agentgraph.Inspect(context.Background(), store, "run")
		require.NoError(t, err)
		return info
	}
	require.Equal(t, agentgraph.RunInfo{RunID: "run"}, inspect())

	run := func(ctx context.Context, body func(*agentgraph.Step) error) {
		_, _ = agentgraph.NewResumable("flow", body, &agentgraph.ResumableOptions{Store: store}).Run(ctx, "run", nil)
	}
	step := func(s *agentgraph.Step) error { return s.Step("a", sets("x", 1)) }
	var during agentgraph.RunInfo
	run(context.Background(), func(s *agentgraph.Step) error {
		err := step(s)
		during = inspect()
		return errors.Join(err, errors.New("ill"))
	})
	require.Equal(t, agentgraph.RunRunning, during.Status)
	require.Equal(t, 1, during.Done)
	info := inspect()
	require.Equal(t, agentgraph.RunFailed, info.Status)
	require.Equal(t, "ill", info.Error)
	require.Equal(t, "flow", info.Name)
	require.False(t, info.Last.Before(info.Began))

	ctx, cancel := context.WithCancel(context.Background())
	run(ctx, func(s *agentgraph.Step) error { cancel(); return s.Step("b", sets("x", 1)) })
	require.Equal(t, agentgraph.RunInterrupted, inspect().Status)

	run(context.Background(), func(s *agentgraph.Step) error { _, err := agentgraph.Ask[int](s, "q", 1); return err })
	require.Equal(t, agentgraph.RunWaiting, inspect().Status)

	run(context.Background(), step)
	info = inspect()
	require.Equal(t, agentgraph.RunFinished, info.Status)
	require.Equal(t, 4, info.Attempts)
	require.Equal(t, 1, info.Done)
	require.Empty(t, info.Error)
}
