package filestore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCancelledInLoop: a loop whose body ends the context gets the error next, within
// a batch too.
func TestCancelledInLoop(t *testing.T) {
	s := newStore(newMemDisk(), quiet())
	require.NoError(t, s.Append(ctx, "run", 0, notes(0, 5)...))
	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	var errs []error
	for r, err := range s.Read(cancelled, "run", 1) {
		errs = append(errs, err)
		if r.Seq == 3 {
			cancel()
		}
	}
	require.Len(t, errs, 3)
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	require.EqualError(t, errs[2], `agentgraph: run "run": context canceled`)
	require.ErrorIs(t, errs[2], context.Canceled)
}

// TestCancelledWhileSkipping: a Read that has come to nothing to give yet stops too.
func TestCancelledWhileSkipping(t *testing.T) {
	d := newMemDisk()
	require.NoError(t, newStore(d, quiet()).Append(ctx, "run", 0, notes(0, 5)...))
	for at := range uint64(5) { // the last is given
		late := &lateContext{Context: ctx, calls: 1}
		r, err := newStore(d, quiet()).reader(late, "run", 0)
		require.NoError(t, err)
		r.close()
		opening := 1 - late.calls

		late.calls = opening + int(at)
		given := 0
		for _, err := range newStore(d, quiet()).Read(late, "run", 4) {
			require.ErrorIs(t, err, context.Canceled)
			given++
		}
		require.Equal(t, 1, given, "%d skipped", at)
	}
}

// lateContext ends after so many calls of Err.
type lateContext struct {
	context.Context
	calls int
}

func (c *lateContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}
