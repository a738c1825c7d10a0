package agentgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestAskAgain: an answer that does not fit is none, and whoever asks sees why.
func TestAskAgain(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	days := 0
	r := agentgraph.NewResumable("holiday", func(s *agentgraph.Step) (err error) {
		days, err = agentgraph.Ask[int](s, "days", "How many?")
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	waits := func(refused string) {
		t.Helper()
		_, err := r.Run(ctx, "run", nil)
		var waiting *agentgraph.WaitingError
		require.ErrorAs(t, err, &waiting)
		want := []agentgraph.Question{{Step: "days", Question: []byte(`"How many?"`), Refused: refused}}
		require.Equal(t, want, waiting.Questions)
		open, err := agentgraph.Questions(ctx, store, "run")
		require.NoError(t, err)
		require.Equal(t, want, open)
	}
	waits("")
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "days", "many"))
	waits(`the answer "many" does not fit: json: cannot unmarshal string into Go value of type int`)
	waits(`the answer "many" does not fit: json: cannot unmarshal string into Go value of type int`)
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "days", 3))
	open, err := agentgraph.Questions(ctx, store, "run")
	require.NoError(t, err)
	require.Empty(t, open)
	_, err = r.Run(ctx, "run", nil)
	require.NoError(t, err)
	require.Equal(t, 3, days)
	require.ErrorIs(t, agentgraph.Answer(ctx, store, "run", "days", 4), agentgraph.ErrNoQuestion)
}

func TestResume(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	bodies := 0
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		return s.Step("a", func(*agentgraph.Step) error { bodies++; return nil })
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := r.Resume(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	require.NotNil(t, result)
	_, err = r.Run(ctx, "run", map[string]any{"x": 1, "big": "0123456789012345678901234567890123456789012345678901234567890123456789"})
	require.NoError(t, err)
	result, err = r.Resume(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, 1, bodies)
	require.JSONEq(t, "1", string(result.Artifacts["x"]))
}

// TestDurableWhenStepReturns: the outcome of a step is in the store before its
// caller goes on.
func TestDurableWhenStepReturns(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		for i := range 3 {
			if err := s.Step("a", sets("x", i)); err != nil {
				return err
			}
			info, err := agentgraph.Inspect(ctx, store, "run")
			require.NoError(t, err)
			require.Equal(t, i+1, info.Done)
		}
		return nil
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := r.Run(ctx, "run", nil)
	require.NoError(t, err)
}
