package resumetest_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

func records(data ...string) []agentgraph.Record {
	list := make([]agentgraph.Record, len(data))
	for i, d := range data {
		list[i] = agentgraph.Record{Kind: "step", Data: fmt.Appendf(nil, "%q", d)}
	}
	return list
}

// TestTear: of the last append what is asked for is left, of all else everything,
// and the store sees an append that did not arrive.
func TestTear(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := filestore.Open(dir, &filestore.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, s.Append(ctx, "other", 0, records("x", "y", "z")...))
	require.NoError(t, s.Append(ctx, "run", 0, records("a")...))
	path := filepath.Join(dir, "run.jsonl")
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, s.Append(ctx, "run", 1, records("b", "c")...))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	require.NoError(t, resumetest.Tear(dir, "run", 2, func(lines [][]byte) int {
		require.Len(t, lines, 2)
		require.Contains(t, string(lines[0]), `"data":"b"`)
		require.Contains(t, string(lines[1]), `"data":"c"`)
		require.Equal(t, len(whole)-len(first), len(lines[0])+len(lines[1]))
		return len(lines[0]) + 5
	}))
	require.NoError(t, s.Close())
	torn, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, len(torn) > len(first)+5 && len(torn) < len(whole))
	require.Equal(t, string(whole[:len(torn)]), string(torn))

	s, err = filestore.Open(dir, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, journal(t, s, "run"))
	require.Equal(t, []string{"x", "y", "z"}, journal(t, s, "other"))
	require.NoError(t, s.Close())
}

func TestTearNothing(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := filestore.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, s.Append(ctx, "run", 0, records("a")...))
	require.NoError(t, s.Close())
	none := func([][]byte) int { return 0 }
	require.ErrorContains(t, resumetest.Tear(dir, "none", 1, none), `run "none" has no file`)
	require.ErrorContains(t, resumetest.Tear(dir, "run", 2, none), "has 1 lines, and not the 2")
}
