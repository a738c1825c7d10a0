package filestore

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// script does what can go wrong: new journals, batches, a torn end, a deletion. It
// goes on after errors as an owner does, by reading, and checks all the while that
// what was acknowledged is there and what was not is there as a whole or not at all.
func script(t *testing.T, d *memDisk) {
	t.Helper()
	s := newStore(d, quiet())
	have := 0
	for step, n := range []int{1, 1, 3, 2, 1} {
		if step == 3 {
			d.files["run.jsonl"].data = append(d.files["run.jsonl"].data, `{"seq":`...)
		}
		for tries := 0; ; tries++ {
			require.Less(t, tries, 10)
			err := s.Append(ctx, "run", uint64(have), notes(have, n)...)
			if err == nil {
				have += n
				break
			}
			require.NotErrorIs(t, err, agentgraph.ErrCorrupt)
			if found := mustHold(t, s, have, n); found > have {
				have = found
				break
			}
		}
		mustHold(t, s, have, 0)
	}
	for s.Delete(ctx, "run") != nil {
		continue
	}
	mustHold(t, s, 0, 0)
	require.NoError(t, s.Close())
	require.Zero(t, d.held, "files are left open")
}

// mustHold reads until that works, and returns how many records there are: have, or
// as many with the batch of n whose answer was an error.
func mustHold(t *testing.T, s *Store, have, n int) int {
	t.Helper()
	got, err := collect(s, "run")
	for tries := 0; err != nil; tries++ {
		require.Less(t, tries, 10)
		require.ErrorIs(t, err, errFault)
		got, err = collect(s, "run")
	}
	require.Contains(t, []int{have, have + n}, len(got))
	for i, r := range got {
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(r.Data))
	}
	return len(got)
}

// TestFaults lets every operation fail, alone and with the next ones, so that
// taking it back fails too.
func TestFaults(t *testing.T) {
	calm := newMemDisk()
	script(t, calm)
	require.Greater(t, calm.ops, 15)
	for _, short := range []bool{false, true} {
		for first := 1; first <= calm.ops; first++ {
			for many := range 5 {
				d := newMemDisk()
				d.failFrom, d.failTo, d.short = first, first+many, short
				script(t, d)
				require.Len(t, d.failed, many+1)
			}
		}
	}
}

// TestFaultsAreTold: no failing operation is passed over.
func TestFaultsAreTold(t *testing.T) {
	for _, c := range []struct {
		failAt int
		op     string
	}{{1, "create"}, {2, "write"}, {3, "sync"}, {4, "sync directory"}} {
		d := newMemDisk()
		d.failFrom, d.failTo = c.failAt, c.failAt
		s := newStore(d, quiet())
		err := s.Append(ctx, "run", 0, note(0))
		require.EqualError(t, err, `agentgraph: run "run": fault`)
		require.ErrorIs(t, err, errFault)
		require.Equal(t, []string{c.op}, d.failed)
		got, err := collect(s, "run")
		require.NoError(t, err)
		require.Empty(t, got, "it was taken back")
		require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	}
}
