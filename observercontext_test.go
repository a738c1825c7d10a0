package agentgraph_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestObserverThatLosesTheContext: the run goes on with its own, which says which step
// it is in and ends with the run, and the logger is told.
func TestObserverThatLosesTheContext(t *testing.T) {
	var told bytes.Buffer
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		return s.Step("a", func(s *agentgraph.Step) error {
			info, ok := agentgraph.StepFrom(s.Context())
			require.True(t, ok)
			require.Equal(t, "run", info.RunID)
			require.Equal(t, "a", info.Step)
			require.NotEmpty(t, info.IdempotencyKey)
			stop()
			return s.Context().Err()
		})
	}, &agentgraph.ResumableOptions{
		Store:  agentgraph.NewMemStore(),
		Logger: slog.New(slog.NewTextHandler(&told, nil)),
		Observer: &agentgraph.Observer{
			Begin: func(context.Context, agentgraph.Event) context.Context { return context.Background() },
		},
	})
	_, err := r.Run(ctx, "run", nil)
	require.ErrorIs(t, err, context.Canceled)
	lost := func(attempt string) string {
		return `msg="observer failed" resumable=work run=run attempt=` + attempt + ` error="lost the context: derive the one that Begin returns from its own"`
	}
	require.Equal(t, 1, strings.Count(told.String(), lost("0"))) // of the run
	require.Equal(t, 2, strings.Count(told.String(), lost("1"))) // of the attempt and the step
}
