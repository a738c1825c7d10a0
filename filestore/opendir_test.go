package filestore

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// TestDirBeyondALink: the file system, not the text of the path, says what it means.
func TestDirBeyondALink(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "other/deep"} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	if runtime.GOOS == "windows" {
		return // there the text says it
	}
	require.NoError(t, os.Symlink(filepath.Join("other", "deep"), "link"))
	s, err := Open("link/../a", nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.DirExists(t, filepath.Join("other", "a"))
}

// TestUnsyncedDirIsNoStore: no store is opened in a directory that may be lost, also
// not the next time.
func TestUnsyncedDirIsNoStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, left := range []int{0, 1, 0} { // parents that can be synced before one that cannot
		_, err := openDir(dir, func(string) error {
			if left--; left < 0 {
				return errFault
			}
			return nil
		})
		require.ErrorIs(t, err, errFault)
		require.NoDirExists(t, filepath.Dir(dir))
	}
	require.NoError(t, syncPath(t.TempDir()))
	require.ErrorIs(t, syncPath(filepath.Join(t.TempDir(), "missing")), fs.ErrNotExist)
}
