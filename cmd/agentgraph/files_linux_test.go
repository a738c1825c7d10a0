package main

import (
	"os"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoPermission: the directory is named that may not be used. Root may all, so that
// a test of root's is somebody else meanwhile, as far as files go.
func TestNoPermission(t *testing.T) {
	dir, err := os.MkdirTemp("", "agentgraph")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	for mode, why := range map[os.FileMode]string{
		0o444: dir + " cannot be entered: stat " + dir + "/.: permission denied",
		0o111: "open " + dir + ": permission denied",
		0:     dir + " cannot be entered: stat " + dir + "/.: permission denied",
	} {
		require.NoError(t, os.Chmod(dir, mode))
		code, out, told := callAsNobody(t, "runs", "file:"+dir)
		require.Equal(t, 1, code, mode)
		require.Empty(t, out)
		require.Equal(t, "agentgraph: open file store: "+why+"\n", told, mode)
	}
}

// callAsNobody is call by one who is not root.
func callAsNobody(t *testing.T, args ...string) (code int, out, told string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return call(t, "", false, args...)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.NoError(t, syscall.Setfsuid(65534))
	defer func() { require.NoError(t, syscall.Setfsuid(0)) }()
	return call(t, "", false, args...)
}
