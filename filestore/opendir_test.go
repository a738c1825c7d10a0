package filestore

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMadeDirsAreSynced: Open syncs the parent of every directory that it makes, when
// what is below is there, and of no other.
func TestMadeDirsAreSynced(t *testing.T) {
	top := t.TempDir()
	store := filepath.Join(top, "a", "b", "c")
	var synced []string
	open := func() {
		synced = nil
		d, err := openDir(store+string(filepath.Separator), func(path string) error {
			require.DirExists(t, store)
			synced = append(synced, path)
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, d.close())
	}
	open()
	require.Equal(t, []string{top, filepath.Join(top, "a"), filepath.Join(top, "a", "b")}, synced)
	open()
	require.Empty(t, synced)
	require.NoError(t, os.Remove(store))
	open()
	require.Equal(t, []string{filepath.Join(top, "a", "b")}, synced)
}

func TestMadeRelativeDirIsSynced(t *testing.T) {
	t.Chdir(t.TempDir())
	var synced []string
	d, err := openDir(filepath.Join("a", "b"), func(path string) error {
		synced = append(synced, path)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, d.close())
	require.Equal(t, []string{".", "a"}, synced)
}

// TestUnsyncedDirIsNoStore: no store is opened in a directory that may be lost.
func TestUnsyncedDirIsNoStore(t *testing.T) {
	_, err := openDir(filepath.Join(t.TempDir(), "a"), func(string) error { return errFault })
	require.ErrorIs(t, err, errFault)
	require.NoError(t, syncPath(t.TempDir()))
	require.ErrorIs(t, syncPath(filepath.Join(t.TempDir(), "missing")), fs.ErrNotExist)
}
