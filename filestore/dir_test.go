package filestore_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

func one() agentgraph.Record { return agentgraph.Record{Kind: "k", Data: []byte("1")} }

func TestClosed(t *testing.T) {
	ctx := context.Background()
	s, err := filestore.Open(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, s.Append(ctx, "run", 0, one(), one()))
	for range s.Read(ctx, "run", 0) {
		require.NoError(t, s.Close())
	}
	require.NoError(t, s.Close())

	err = s.Append(ctx, "run", 2, one())
	require.EqualError(t, err, `agentgraph: run "run": the store is closed: file already closed`)
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, s.Delete(ctx, "run"), fs.ErrClosed)
	calls := 0
	for _, err := range s.Read(ctx, "run", 0) {
		require.ErrorIs(t, err, fs.ErrClosed)
		calls++
	}
	for _, err := range s.Runs(ctx) {
		require.ErrorIs(t, err, fs.ErrClosed)
		calls++
	}
	require.Equal(t, 2, calls)
}

// TestOtherFiles: what is no journal is passed over, and a link that leads out of
// the directory is not followed.
func TestOtherFiles(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.jsonl")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600))
	s := open(t, dir)
	require.NoError(t, s.Append(ctx, "run", 0, one()))
	var runs []string
	for run, err := range s.Runs(ctx) {
		require.NoError(t, err)
		runs = append(runs, run)
	}
	require.Equal(t, []string{"run"}, runs)
	require.NoError(t, s.Append(ctx, "empty", 0, one()), "the first append to it did not arrive")

	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.jsonl")))
	require.Error(t, s.Append(ctx, "link", 0, one()))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Empty(t, text)
}

// TestReplaced: after a file was moved away, or another put in its place, an append
// goes to what stands under the name now.
func TestReplaced(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	path := filepath.Join(dir, "run.jsonl")
	s := open(t, dir)
	require.NoError(t, s.Append(ctx, "run", 0, one()))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".copy", text, 0o600))
	require.NoError(t, os.Rename(path+".copy", path))
	require.NoError(t, s.Append(ctx, "run", 1, one()))
	require.Equal(t, 2, count(t, s))

	require.NoError(t, os.Rename(path, path+".moved"))
	require.ErrorIs(t, s.Append(ctx, "run", 2, one()), agentgraph.ErrConflict)
	require.NoError(t, s.Append(ctx, "run", 0, one()))
	require.Equal(t, 1, count(t, s))
}

func count(t *testing.T, s *filestore.Store) (n int) {
	t.Helper()
	for _, err := range s.Read(context.Background(), "run", 0) {
		require.NoError(t, err)
		n++
	}
	return n
}

func TestOpenFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := filestore.Open(path, nil)
	require.ErrorContains(t, err, "agentgraph: open file store: ")
}
