package resumetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

func TestSteps(t *testing.T) {
	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(string)) (any, error) {
		return steps(store, "order/17", ran, order...)
	})
}

// TestStubborn goes on after a passing failure, in the same life.
func TestStubborn(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		return stubborn(store, "order/17", resumetest.ErrCrash, order)
	})
}

// TestErrorOfItsOwn: an error may be how a flow ends.
func TestErrorOfItsOwn(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		done, err := steps(store, "order/17", uncounted, order...)
		if err != nil {
			return nil, err
		}
		return done, errors.New("out of stock")
	})
}

// TestAtOnce appends to several runs at once, in no certain order.
func TestAtOnce(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		var wg sync.WaitGroup
		results, errs := make([][]string, 3), make([]error, 3)
		for i := range results {
			wg.Go(func() { results[i], errs[i] = steps(store, fmt.Sprint("run ", i), uncounted, order[i:]...) })
		}
		wg.Wait()
		return results, errors.Join(errs...)
	})
}

// TestEveryCall uses all of a store: it asks for a run, and deletes another.
func TestEveryCall(t *testing.T) {
	ctx := context.Background()
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		if _, err := steps(store, "draft", uncounted, order...); err != nil {
			return nil, err
		}
		done, err := steps(store, "order/17", uncounted, order...)
		if err != nil {
			return nil, err
		}
		if err := store.Delete(ctx, "draft"); err != nil {
			return nil, err
		}
		var runs []string
		for run, err := range store.Runs(ctx) {
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
		return map[string]any{"done": done, "runs": runs}, nil
	})
}

// TestLives: what each life finds, in the order in which they are lived.
func TestLives(t *testing.T) {
	var found [][]string
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		done, err := read(store, "run")
		if err != nil {
			return nil, err
		}
		found = append(found, done)
		return steps(store, "run", uncounted, []string{"a", "b"}, []string{"c"})
	})
	none, two, all := []string{}, []string{"a", "b"}, []string{"a", "b", "c"}
	require.Equal(t, [][]string{
		none, none, // without crashes
		// append 1
		none, none, // before
		none, two, // after
		none, none, // failed before
		none, two, // failed after
		none, none, // half-way, one byte
		none, none, // half-way, half
		none, none, // half-way, all but the newline
		none, none, // half-way, one record
		none, none, none, // before, then append 1 before
		none, none, two, // before, then append 1 after
		none, none, two, // before, then append 2 before
		none, none, all, // before, then append 2 after
		none, none, // before, then append 3 before: there is none
		none, none, // before, then append 3 after
		none, two, two, // after, then append 1 before
		none, two, all, // after, then append 1 after
		none, two, // after, then append 2 before: there is none
		none, two,
		none, two,
		none, two,
		none, none, none, // half-way twice
		// append 2
		none, two, // before
		none, all, // after
		none, two, // failed before
		none, all, // failed after
		none, two, // half-way, one byte
		none, two, // half-way, half
		none, two, // half-way, all but the newline
		none, two, two, // before, then append 1 before
		none, two, all, // before, then append 1 after
		none, two, // before, then append 2 before: there is none
		none, two,
		none, two,
		none, two,
		none, all, // after, then append 1 before: there is none
		none, all,
		none, all,
		none, all,
		none, all,
		none, all,
		none, two, two, // half-way twice
	}, found)
}

// TestHalfWay: what the second life finds on the disk is a part of what it ends with.
func TestHalfWay(t *testing.T) {
	top := t.TempDir()
	t.Setenv("TMPDIR", top)
	t.Setenv("TMP", top)
	var torn [][]byte
	var cuts []string
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		found := file(t, top)
		done, err := steps(store, "run", uncounted, []string{"a", "b"})
		if found == nil || err != nil {
			if found != nil {
				torn = append(torn, found)
			}
			return done, err
		}
		whole := file(t, top)
		first := bytes.IndexByte(whole, '\n') + 1
		for _, c := range []struct {
			name string
			size int
		}{{"one byte", 1}, {"half", len(whole) / 2}, {"all but the newline", len(whole) - 1}, {"one record", first}} {
			if len(found) == c.size {
				cuts = append(cuts, c.name)
			}
		}
		return done, err
	})
	require.Equal(t, []string{"one byte", "half", "all but the newline", "one record", "half"}, cuts)
	require.Len(t, torn, 1, "a life that is torn after one that was torn")
}

// file is the only journal under a directory.
func file(t *testing.T, top string) []byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(top, "*", "*", "*.jsonl"))
	require.NoError(t, err)
	if len(paths) == 0 {
		return nil
	}
	require.Len(t, paths, 1)
	text, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	return text
}

// TestDead: every call to a dead store is ErrCrash, and also to one whose life is
// over.
func TestDead(t *testing.T) {
	var last agentgraph.Store
	deaths := 0
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		if last != nil {
			requireDead(t, last)
		}
		last = store
		done, err := steps(store, "run", uncounted, []string{"a", "b"}, []string{"c"})
		if errors.Is(err, resumetest.ErrCrash) {
			requireDead(t, store)
			deaths++
		}
		return done, err
	})
	requireDead(t, last)
	first := 6 + 12 + 2 + 4 + 2  // at append 1: in plans for one crash, in the first and second lives of plans for two, half-way twice
	second := 5 + 12 + 2 + 0 + 2 // at append 2
	require.Equal(t, first+second, deaths)
}

// TestDeadInLoop: a loop over a journal ends with ErrCrash when the store dies in
// its body, be it at the last record.
func TestDeadInLoop(t *testing.T) {
	ends := map[int]bool{}
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		if done, err := steps(store, "run", uncounted, []string{"a", "b"}); err != nil {
			return done, err
		}
		n := 0
		for _, err := range store.Read(context.Background(), "run", 0) {
			if err != nil {
				require.ErrorIs(t, err, resumetest.ErrCrash)
				ends[n] = true
				return nil, err
			}
			n++
			_, _ = steps(store, fmt.Sprint("beside ", n), uncounted, []string{"c"})
		}
		return n, nil
	})
	require.Equal(t, map[int]bool{1: true, 2: true}, ends)
}

func requireDead(t *testing.T, store agentgraph.Store) {
	t.Helper()
	ctx := context.Background()
	require.ErrorIs(t, store.Append(ctx, "run", 0, records("late")...), resumetest.ErrCrash)
	require.ErrorIs(t, store.Delete(ctx, "run"), resumetest.ErrCrash)
	require.EqualError(t, store.Delete(ctx, "run"), "agentgraph: the store has crashed (resumetest)")
	n := 0
	for _, err := range store.Read(ctx, "run", 0) {
		require.ErrorIs(t, err, resumetest.ErrCrash)
		n++
	}
	for _, err := range store.Runs(ctx) {
		require.ErrorIs(t, err, resumetest.ErrCrash)
		n++
	}
	require.Equal(t, 2, n)
}

// TestNothingWritten: an append that conflicts, or has no records, settles no step,
// and cannot be torn.
func TestNothingWritten(t *testing.T) {
	ctx, lives := context.Background(), 0
	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(string)) (any, error) {
		lives++
		done, err := read(store, "run")
		if err != nil || len(done) > 0 {
			return done, err
		}
		ran("a")
		if err := store.Append(ctx, "run", 0); err != nil {
			return nil, err
		}
		if err := store.Append(ctx, "run", 7, records("a")...); !errors.Is(err, agentgraph.ErrConflict) {
			return nil, err
		}
		return []string{"a"}, store.Append(ctx, "run", 0, records("a")...)
	})
	compares := 4*2 + 12*3           // no half-way
	conflicts := 7*2 + 12*3 + 3      // the store dies all the same
	appends := 7*2 + (6*3 + 6*2) + 3 // after it there is no second append to crash at
	require.Equal(t, 2+compares+conflicts+appends, lives)
}

// TestJSON: results are compared as JSON, key by key and digit by digit.
func TestJSON(t *testing.T) {
	life := 0
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		if _, err := steps(store, "run", uncounted, []string{"a"}); err != nil {
			return nil, err
		}
		life++
		if life%2 == 0 {
			return map[string]any{"n": int64(9007199254740993), "list": []int{1, 2}}, nil
		}
		return struct {
			List []float64 `json:"list"`
			N    uint64    `json:"n"`
		}{[]float64{1, 2}, 9007199254740993}, nil
	})
}
