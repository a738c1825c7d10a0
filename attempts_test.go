package agentgraph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

func TestAttempts(t *testing.T) {
	store := agentgraph.NewMemStore()
	attempts := func() []agentgraph.Attempt {
		all, err := agentgraph.Attempts(context.Background(), store, "run")
		require.NoError(t, err)
		return all
	}
	require.Empty(t, attempts())

	var during []agentgraph.Attempt
	ill := errors.New("ill")
	flow := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		if err := s.Step("a", sets("x", 1)); err != nil {
			return err
		}
		s.Set("after", "a")
		if during == nil {
			during = attempts()
			return ill
		}
		return s.Step("b", sets("y", 2))
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := flow.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, ill)
	result, err := flow.Run(context.Background(), "run", nil)
	require.NoError(t, err)

	require.Len(t, during, 1)
	require.Equal(t, agentgraph.RunRunning, during[0].Status)
	require.Nil(t, during[0].Artifacts)
	require.Len(t, during[0].Steps, 1)

	all := attempts()
	require.Len(t, all, 2)
	require.Equal(t, agentgraph.RunFailed, all[0].Status)
	require.Equal(t, "ill", all[0].Error)
	require.Equal(t, agentgraph.Artifacts{"x": []byte("1"), "after": []byte(`"a"`)}, all[0].Artifacts)
	require.Equal(t, agentgraph.RunFinished, all[1].Status)
	require.Empty(t, all[1].Error)
	require.Equal(t, result.Artifacts, all[1].Artifacts)
	require.False(t, all[1].Began.Before(all[0].Last))
	trees, err := flow.StepsRun(context.Background(), "run")
	require.NoError(t, err)
	require.Equal(t, trees, [][]*agentgraph.StepNode{all[0].Steps, all[1].Steps})
}

func TestAttemptsBadInput(t *testing.T) {
	_, err := agentgraph.Attempts(context.Background(), nil, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
	_, err = agentgraph.Attempts(context.Background(), agentgraph.NewMemStore(), "")
	require.ErrorIs(t, err, agentgraph.ErrBadRunID)
}

// TestOn: a copy works with the other store, and the original with none, as before.
func TestOn(t *testing.T) {
	store := agentgraph.NewMemStore()
	flow := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error { return s.Step("a", sets("x", 1)) }, nil)
	there := flow.On(store)
	require.Equal(t, "flow", there.Name())
	result, err := there.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, agentgraph.Artifacts{"x": []byte("1")}, result.Artifacts)
	info, err := agentgraph.Inspect(context.Background(), store, "run")
	require.NoError(t, err)
	require.Equal(t, agentgraph.RunFinished, info.Status)
	_, err = flow.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
}
