package filestore

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLockWaits: a call waits for another process as long as its context allows.
func TestLockWaits(t *testing.T) {
	d := newMemDisk()
	s := newStore(d, quiet())
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	held, err := d.open("run.jsonl", os.O_RDWR)
	require.NoError(t, err)
	locked, err := held.tryLock()
	require.NoError(t, err)
	require.True(t, locked)

	brief, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Append(brief, "run", 1, note(1)), context.DeadlineExceeded)

	waiting := make(chan error)
	go func() { waiting <- s.Append(ctx, "run", 1, note(1)) }()
	second, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Append(second, "run", 1, note(1)), context.DeadlineExceeded)
	require.NoError(t, held.unlock())
	require.NoError(t, <-waiting)
	require.Empty(t, s.busy.locks, "no lock is left")
}

// TestDeletedWhileWaiting: one who waits for a file that is deleted meanwhile finds
// that the journal is gone.
func TestDeletedWhileWaiting(t *testing.T) {
	d := newMemDisk()
	s := newStore(d, quiet())
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	held, err := d.open("run.jsonl", os.O_RDWR)
	require.NoError(t, err)
	_, err = held.tryLock()
	require.NoError(t, err)
	waiting := make(chan error)
	go func() { waiting <- s.Append(ctx, "run", 0, note(7)) }()
	require.NoError(t, d.remove("run.jsonl"))
	require.NoError(t, held.unlock())
	require.NoError(t, <-waiting)
	got, err := collect(s, "run")
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, `{"n":7}`, string(got[0].Data))
}
