package natsfleet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// moody is a store elsewhere, whose appends fail when it says so.
type moody struct {
	agentgraph.Store
	ill func(agentgraph.Record) bool
}

// small is a store elsewhere, that takes so many bytes at once.
type small struct {
	agentgraph.Store
	limit int
}

func (s small) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	for _, r := range records {
		if len(r.Data) > s.limit {
			return fmt.Errorf("agentgraph: run %q: %w: this store takes %d bytes", runID, agentgraph.ErrTooLarge, s.limit)
		}
	}
	return s.Store.Append(ctx, runID, after, records...)
}

func (m *moody) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	for _, r := range records {
		if m.ill(r) {
			return errDiskFull
		}
	}
	return m.Store.Append(ctx, runID, after, records...)
}

var errDiskFull = errors.New("disk is full")

// times is true so often, for one kind of record, and then no more.
func times(n int64, kind string) func(agentgraph.Record) bool {
	var left atomic.Int64
	left.Store(n)
	return func(r agentgraph.Record) bool { return r.Kind == kind && left.Add(-1) >= 0 }
}

// TestStoreFails: a run whose store refuses to begin it says so, and goes on once the
// store does.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var full atomic.Bool
	full.Store(true)
	store := &moody{agentgraph.NewMemStore(), func(agentgraph.Record) bool { return full.Load() }}
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Store: store}, flow("flow", seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	for s := status(t, f, "run", natsfleet.Queued); s.Error != `agentgraph: run "run": disk is full`; {
		s = status(t, f, "run", natsfleet.Queued)
	}
	full.Store(false)
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
	s := status(t, f, "run", natsfleet.Finished)
	require.Empty(t, s.Error)
	require.Equal(t, 1, s.Run.Attempts)
}

// TestTooLargeForStore: a run that its store will not take fails, and says what was too
// large. It is not worked on again.
func TestTooLargeForStore(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var calls atomic.Int64
	flow := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "result", func(context.Context) (string, error) {
			calls.Add(1)
			return strings.Repeat("x", 2000), nil
		})
		return err
	}, nil)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Store: small{agentgraph.NewMemStore(), 1000}}, flow)
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	_, err := f.Wait(ctx, "run")
	require.ErrorAs(t, err, new(*natsfleet.RunError))
	// A step that lasts has a record of its beginning, where its path stands.
	require.Regexp(t, `records are too large: this store takes 1000 bytes; the largest value is artifact "result"( at step "result")?, 2002 bytes$`, err.Error())
	status(t, f, "run", natsfleet.Failed)
	require.EqualValues(t, 1, calls.Load())
}

// TestStoreFailsOften: a run that is cut short by its store, again and again with
// nothing done between, has killed nobody and is not set aside.
func TestStoreFailsOften(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	store := &moody{agentgraph.NewMemStore(), times(3, "step")}
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Store: store, Deaths: 2}, flow("flow", seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
	info, err := agentgraph.Inspect(ctx, store, "run")
	require.NoError(t, err)
	require.Equal(t, 4, info.Attempts)
}

// TestStoreFailsAfterFlow: the store fails when a run is tried again whose last attempt
// failed with an error that passes. That the journal has the run as failed is not to
// be taken for the end of it.
func TestStoreFailsAfterFlow(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var calls atomic.Int64
	store := &moody{Store: agentgraph.NewMemStore()}
	store.ill = func(r agentgraph.Record) bool {
		return r.Kind == "attempt" && calls.Load() == 1 && calls.Add(1) == 2
	}
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Store: store})
	require.NoError(t, f.Register(flow("flow", func(context.Context) (int, error) {
		if calls.Load() == 0 {
			calls.Add(1)
			return 0, natsfleet.Passing(errors.New("busy"))
		}
		return 7, nil
	}), natsfleet.Backoff(time.Millisecond, time.Millisecond, 0)))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
}
