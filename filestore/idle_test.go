package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
)

// idling is a store that keeps so many files open.
func idling(d disk, most int) *Store {
	s := newStore(d, quiet())
	s.idle.most = most
	return s
}

// TestOpenedOnce: of appends that follow one another only the first opens the file
// and reads in it.
func TestOpenedOnce(t *testing.T) {
	d := newMemDisk()
	s := idling(d, 1)
	for i := range 5 {
		require.NoError(t, s.Append(ctx, "run", uint64(i), note(i)))
	}
	require.NoError(t, s.Append(ctx, "run", 5), "it only compares")
	require.Equal(t, 1, d.opens)
	require.Equal(t, 1, d.reads)
	require.False(t, d.files["run.jsonl"].locked)
	require.NoError(t, s.Close())
	require.Zero(t, d.held)
}

// TestIdleIsBounded: the file used last stays, and the one used least recently goes.
func TestIdleIsBounded(t *testing.T) {
	d := newMemDisk()
	s := idling(d, 2)
	for _, step := range []struct {
		run   string
		after uint64
		opens int
	}{{"a", 0, 1}, {"b", 0, 2}, {"a", 1, 2}, {"c", 0, 3}, {"a", 2, 3}, {"b", 1, 4}, {"c", 1, 5}} {
		require.NoError(t, s.Append(ctx, step.run, step.after, note(0)))
		require.Equal(t, step.opens, d.opens, "%v", step)
		require.LessOrEqual(t, d.held, 2)
	}
	require.NoError(t, s.Close())
	require.Zero(t, d.held)
}

// TestNoneIdle: a store that may keep none closes each file before it returns.
func TestNoneIdle(t *testing.T) {
	d := newMemDisk()
	s := idling(d, 0)
	for i := range 3 {
		require.NoError(t, s.Append(ctx, "run", uint64(i), note(i)))
		require.Zero(t, d.held)
	}
	require.Equal(t, 3, d.opens)
}

// TestGivenUp: after an operation that failed the file is opened anew.
func TestGivenUp(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		for many := range 3 { // so that taking it back fails too
			d := newMemDisk()
			s := idling(d, 1)
			require.NoError(t, s.Append(ctx, "run", 0, note(0)))
			d.failFrom = d.ops + 1 + slices.Index([]string{"write", "sync"}, op)
			d.failTo = d.failFrom + many
			require.ErrorIs(t, s.Append(ctx, "run", 1, note(1)), errFault)
			require.Equal(t, op, d.failed[0])
			require.Zero(t, d.held)
			d.failFrom = 0

			opens := d.opens
			err := s.Append(ctx, "run", 1, note(1))
			require.Equal(t, opens+1, d.opens)
			if err != nil {
				require.ErrorIs(t, err, agentgraph.ErrConflict, "it arrived and was not taken back")
			}
			got, err := collect(s, "run")
			require.NoError(t, err)
			require.Len(t, got, 2)
		}
	}
}

// TestGivenUpTorn: a torn end that cannot be cut off is met by a file opened anew.
func TestGivenUpTorn(t *testing.T) {
	d := newMemDisk()
	s := idling(d, 1)
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	d.files["run.jsonl"].data = append(d.files["run.jsonl"].data, `{"seq":`...)
	d.failFrom = d.ops + 5 // behind create, write, sync, sync directory of the file beside
	d.failTo = d.failFrom
	require.ErrorIs(t, s.Append(ctx, "run", 1, note(1)), errFault)
	require.Equal(t, []string{"truncate"}, d.failed)
	require.Zero(t, d.held)
	require.NoError(t, s.Append(ctx, "run", 1, note(1)))
}

// TestIdleAndDeleted: whoever deletes a journal, an idle file is not taken for the
// next one of the run.
func TestIdleAndDeleted(t *testing.T) {
	d := newMemDisk()
	s, other := idling(d, 1), idling(d, 1)
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	require.NoError(t, s.Delete(ctx, "run"))
	require.Zero(t, d.held, "its own deletion closes it")

	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	require.NoError(t, other.Delete(ctx, "run"))
	require.ErrorIs(t, s.Append(ctx, "run", 1, note(1)), agentgraph.ErrConflict)
	require.Zero(t, d.held, "it notices and closes it")

	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	require.NoError(t, other.Delete(ctx, "run"))
	require.NoError(t, other.Append(ctx, "run", 0, note(7)))
	require.ErrorIs(t, s.Append(ctx, "run", 1, note(1)), agentgraph.ErrConflict)
	require.NoError(t, other.Append(ctx, "run", 1, note(8)))
	got, err := collect(s, "run")
	require.NoError(t, err)
	require.Len(t, got, 2)
}

// TestIdleAndAppended: what others append meanwhile is seen.
func TestIdleAndAppended(t *testing.T) {
	d := newMemDisk()
	s, other := idling(d, 1), idling(d, 1)
	for i := uint64(0); i < 6; i += 2 {
		require.NoError(t, s.Append(ctx, "run", i, note(int(i))))
		require.ErrorIs(t, other.Append(ctx, "run", i, note(-1)), agentgraph.ErrConflict)
		require.NoError(t, other.Append(ctx, "run", i+1, note(int(i+1))))
		require.ErrorIs(t, s.Append(ctx, "run", i+1, note(-1)), agentgraph.ErrConflict)
	}
	got, err := collect(s, "run")
	require.NoError(t, err)
	require.Len(t, got, 6)
	for i, r := range got {
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(r.Data))
	}
}

// TestIdleAtOnce: two stores that keep fewer files open than there are runs append
// to all of them at once, and each position has one winner.
func TestIdleAtOnce(t *testing.T) {
	const runs, each = 5, 20
	d := newMemDisk()
	stores := []*Store{idling(d, 2), idling(d, 2)}
	var group sync.WaitGroup
	var won atomic.Int64
	for i := range 4 * runs {
		group.Go(func() {
			s, run := stores[i%2], fmt.Sprint("run", i%runs)
			for at := range uint64(each) {
				err := s.Append(ctx, run, at, note(int(at)))
				if err == nil {
					won.Add(1)
				} else if !errors.Is(err, agentgraph.ErrConflict) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, runs*each, won.Load())
	require.LessOrEqual(t, d.held, 4)
	for i := range runs {
		got, err := collect(stores[0], fmt.Sprint("run", i))
		require.NoError(t, err)
		require.Len(t, got, each)
	}
	for _, s := range stores {
		require.NoError(t, s.Close())
	}
	require.Zero(t, d.held)
}

// history does steps through three stores on a disk and tells all that can be seen.
func history(most int, steps []step) (seen []string) {
	d := newMemDisk()
	stores := []*Store{idling(d, most), idling(d, most), idling(d, most)}
	for _, at := range steps {
		s := stores[at.store]
		d.failFrom, d.failTo = 0, 0
		if at.fail > 0 {
			d.failFrom, d.failTo = d.ops+at.fail, d.ops+at.fail+at.more
		}
		var err error
		switch at.do {
		case "append":
			err = s.Append(ctx, at.run, d.lines(at.run)+at.ahead, notes(0, at.n)...)
		case "delete":
			err = s.Delete(ctx, at.run)
		case "read":
			var got []agentgraph.Record
			got, err = collect(s, at.run)
			seen = append(seen, fmt.Sprint(len(got)))
		case "tear":
			if f := d.files[at.run+ending]; f != nil {
				f.data = append(f.data, `{"seq":`...)
			}
		}
		seen = append(seen, fmt.Sprintf("%v: %v", at, err), d.String())
	}
	for _, s := range stores {
		if s.Close() != nil || len(s.idle.journals) > 0 {
			seen = append(seen, "not closed")
		}
	}
	return append(seen, fmt.Sprintf("%d files open", d.held))
}

// String is what stands on the disk, but for the lives, which are random.
func (d *memDisk) String() (text string) {
	names, _ := d.names()
	for _, name := range names {
		f := d.files[name]
		text += fmt.Sprintf("%s %d %d %v;", name, len(f.data), len(f.durable), f.locked)
	}
	return text
}

// lines is how many a journal has.
func (d *memDisk) lines(run string) uint64 {
	f := d.files[run+ending]
	if f == nil {
		return 0
	}
	return uint64(bytes.Count(f.data, []byte("\n")))
}

type step struct {
	do, run    string
	store      int
	ahead      uint64 // of the true position
	n          int
	fail, more int // the operation of the disk that fails, and how many after it
}

// TestIdleChangesNothing: stores that keep files open and others do the same.
func TestIdleChangesNothing(t *testing.T) {
	drawn := rapid.Custom(func(t *rapid.T) step {
		return step{
			do:    rapid.SampledFrom([]string{"append", "append", "append", "append", "delete", "read", "tear"}).Draw(t, "do"),
			run:   rapid.SampledFrom([]string{"a", "a", "b", "c"}).Draw(t, "run"),
			store: rapid.IntRange(0, 2).Draw(t, "store"),
			ahead: uint64(max(0, rapid.IntRange(-6, 1).Draw(t, "ahead"))),
			n:     rapid.IntRange(0, 2).Draw(t, "n"),
			fail:  max(0, rapid.IntRange(-8, 4).Draw(t, "fail")),
			more:  rapid.IntRange(0, 3).Draw(t, "more"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(drawn, 40, 80).Draw(t, "steps")
		want := history(0, steps)
		require.Equal(t, want, history(1, steps))
		require.Equal(t, want, history(2, steps))
		require.Equal(t, "0 files open", want[len(want)-1])
	})
}

// TestUnlockFails: a file that cannot be unlocked is closed, which unlocks it too.
func TestUnlockFails(t *testing.T) {
	d := stuckDisk{newMemDisk()}
	s := idling(d, 1)
	for i := range 3 {
		require.NoError(t, s.Append(ctx, "run", uint64(i), note(i)))
		require.Zero(t, d.held)
		require.False(t, d.files["run.jsonl"].locked)
	}
}

// stuckDisk has files that cannot be unlocked.
type stuckDisk struct{ *memDisk }

type stuckFile struct{ *memFile }

func (stuckFile) unlock() error { return errors.New("stuck") }

func (d stuckDisk) open(name string, flag int) (file, error) {
	f, err := d.memDisk.open(name, flag)
	if err != nil {
		return nil, err
	}
	return stuckFile{f.(*memFile)}, nil
}

func (d stuckDisk) holds(name string, f file) (bool, error) {
	return d.memDisk.holds(name, f.(stuckFile).memFile)
}
