package filestore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// openFiles is how many files in a directory this process has open.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	const ours = "/proc/self/fd"
	entries, err := os.ReadDir(ours)
	require.NoError(t, err)
	for _, e := range entries {
		// One may be closed meanwhile: that of the listing itself is.
		if to, err := os.Readlink(filepath.Join(ours, e.Name())); err == nil && strings.HasPrefix(to, dir+"/") {
			n++
		}
	}
	return n
}

// TestOpenFiles: a store of a thousand runs keeps few files open, and none once it
// is closed.
func TestOpenFiles(t *testing.T) {
	const runs, most = 1000, 32
	ctx, dir := context.Background(), t.TempDir()
	s, err := filestore.Open(dir, nil)
	require.NoError(t, err)
	for after := range uint64(2) {
		for i := range runs {
			require.NoError(t, s.Append(ctx, fmt.Sprint("run", i), after, one()))
		}
		require.Equal(t, most, openFiles(t, dir))
	}
	require.NoError(t, s.Delete(ctx, fmt.Sprint("run", runs-1)))
	require.Equal(t, most-1, openFiles(t, dir))
	require.NoError(t, s.Close())
	require.Zero(t, openFiles(t, dir))
}
