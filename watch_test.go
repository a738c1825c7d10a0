package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// kinds are those of a run's records.
func kinds(t *testing.T, store agentgraph.Store, runID string) []string {
	t.Helper()
	var kinds []string
	for r, err := range store.Read(context.Background(), runID, 0) {
		require.NoError(t, err)
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// TestAlive: a run says once a minute that it goes on while nothing else is to be
// said; when its process is killed, that ends.
func TestAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stopping{Store: agentgraph.NewMemStore()}
		ctx, cancel := context.WithCancel(context.Background())
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			if err := s.Step("half", func(*agentgraph.Step) error { time.Sleep(30 * time.Second); return nil }); err != nil {
				return err
			}
			<-s.Context().Done() // in no step
			return nil
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(ctx, "run", nil); done <- err }()
		stands := func() agentgraph.RunStatus {
			info, err := agentgraph.Inspect(context.Background(), store.Store, "run")
			require.NoError(t, err)
			return info.StatusAt(time.Now())
		}
		for range 2*60 + 45 {
			time.Sleep(time.Second)
			require.Equal(t, agentgraph.RunRunning, stands())
		}
		require.Equal(t, []string{"attempt", "begin", "step", "alive", "alive"}, kinds(t, store.Store, "run"))
		store.dead.Store(true) // at 2m45s, when the last word was that of 2m30s
		time.Sleep(time.Minute + 44*time.Second)
		require.Equal(t, agentgraph.RunRunning, stands())
		time.Sleep(2 * time.Second)
		require.Equal(t, agentgraph.RunInterrupted, stands())
		cancel()
		require.Error(t, <-done)
	})
}

// TestAliveFindsItsRunTaken: one whose run another has begun learns of it in the
// middle of a step that lasts.
func TestAliveFindsItsRunTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := agentgraph.NewMemStore()
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			return s.Step("long", func(s *agentgraph.Step) error { <-s.Context().Done(); return context.Cause(s.Context()) })
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(context.Background(), "run", nil); done <- err }()
		time.Sleep(time.Second)
		other := agentgraph.NewResumable("job", func(*agentgraph.Step) error { return nil }, &agentgraph.ResumableOptions{Store: store})
		_, err := other.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.ErrorIs(t, <-done, agentgraph.ErrRunTaken)
		require.Equal(t, []string{"attempt", "begin", "attempt", "end"}, kinds(t, store, "run"))
	})
}

func TestStatusAt(t *testing.T) {
	last := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status agentgraph.RunStatus
		after  time.Duration
		want   agentgraph.RunStatus
	}{
		{agentgraph.RunRunning, -time.Hour, agentgraph.RunRunning},
		{agentgraph.RunRunning, 2 * time.Minute, agentgraph.RunRunning},
		{agentgraph.RunRunning, 2*time.Minute + 1, agentgraph.RunInterrupted},
		{agentgraph.RunFinished, time.Hour, agentgraph.RunFinished},
		{agentgraph.RunWaiting, time.Hour, agentgraph.RunWaiting},
		{agentgraph.RunFailed, time.Hour, agentgraph.RunFailed},
		{agentgraph.RunNone, time.Hour, agentgraph.RunNone},
	} {
		info := agentgraph.RunInfo{Status: c.status, Last: last}
		require.Equal(t, c.want, info.StatusAt(last.Add(c.after)), "%q after %v", c.status, c.after)
	}
}

// fickle is a store whose appends are given to a function first, and that cannot be
// read just now if there is an error for that.
type fickle struct {
	agentgraph.Store
	meet  func(kind string, write func() error) error
	blind error
}

func (f *fickle) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	if f.blind != nil {
		return func(yield func(agentgraph.Record, error) bool) { yield(agentgraph.Record{}, f.blind) }
	}
	return f.Store.Read(ctx, runID, after)
}

func (f *fickle) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	return f.meet(records[0].Kind, func() error { return f.Store.Append(ctx, runID, after, records...) })
}

// TestStoreAwayForAWhile: a run does not end because the store cannot be written while
// nobody waits for that, and what was to be written comes later, once.
func TestStoreAwayForAWhile(t *testing.T) {
	away := errors.New("connection reset")
	for name, fail := range map[string]struct {
		writes bool
		blind  error
	}{
		"nothing written":              {false, nil},
		"answer lost":                  {true, nil},
		"answer lost, nor can it look": {true, away},
	} {
		for _, c := range []struct {
			kind   string // of the first record of an append that fails,
			times  int    // so often
			lasts  time.Duration
			expect []string
		}{
			{"begin", 1, time.Second, []string{"attempt", "begin", "step", "end"}}, // it ends before the next try
			{"begin", 3, 150 * time.Second, []string{"attempt", "begin", "alive", "alive", "step", "end"}},
			{"alive", 3, 150 * time.Second, []string{"attempt", "begin", "alive", "alive", "step", "end"}},
		} {
			t.Run(fmt.Sprintf("%s/%s/%v", name, c.kind, c.lasts), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					failed := 0
					store := &fickle{Store: agentgraph.NewMemStore()}
					store.meet = func(kind string, write func() error) error {
						store.blind = nil
						if kind != c.kind || failed == c.times {
							return write()
						}
						failed++
						store.blind = fail.blind
						if fail.writes {
							return errors.Join(write(), away)
						}
						return away
					}
					job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
						return s.Step("long", func(s *agentgraph.Step) error {
							time.Sleep(c.lasts)
							return context.Cause(s.Context())
						})
					}, &agentgraph.ResumableOptions{Store: store})
					_, err := job.Run(context.Background(), "run", nil)
					require.NoError(t, err)
					require.Equal(t, c.expect, kinds(t, store, "run"))
					require.Positive(t, failed)
				})
			})
		}
	}
}

// TestTickThatPanics: a store, or a logger, that panics while nobody waits for it does
// not end the process. It ends the run if that was the store.
func TestTickThatPanics(t *testing.T) {
	for _, name := range []string{"store", "logger"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := 0
				store := &fickle{Store: agentgraph.NewMemStore()}
				store.meet = func(kind string, write func() error) error {
					if kind != "begin" || failed > 0 {
						return write()
					}
					if failed++; name == "store" {
						panic("ill")
					}
					return errors.New("connection reset")
				}
				logger := slog.New(&touchy{slog.DiscardHandler})
				job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					return s.Step("long", func(s *agentgraph.Step) error {
						select {
						case <-s.Context().Done():
						case <-time.After(time.Minute):
						}
						return context.Cause(s.Context())
					})
				}, &agentgraph.ResumableOptions{Store: store, Logger: logger})
				_, err := job.Run(context.Background(), "run", nil)
				require.Equal(t, 1, failed)
				if name == "store" {
					require.ErrorContains(t, err, "panic")
					require.Equal(t, []string{"attempt"}, kinds(t, store, "run"))
					return
				}
				require.NoError(t, err)
				require.Equal(t, []string{"attempt", "begin", "step", "end"}, kinds(t, store, "run"))
			})
		})
	}
}

// touchy is a logger's handler that panics at warnings.
type touchy struct{ slog.Handler }

func (touchy) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (touchy) Handle(context.Context, slog.Record) error { panic("touchy") }

// TestLateOutcome: what ends after its run was stopped is kept, however late.
func TestLateOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, calls := agentgraph.NewMemStore(), 0
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			return s.Step("stubborn", func(*agentgraph.Step) error { calls++; time.Sleep(time.Hour); return nil })
		}, &agentgraph.ResumableOptions{Store: store})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := job.Run(ctx, "run", nil)
		require.NoError(t, err, "all of it was done")
		_, err = job.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, 1, calls)
		require.Equal(t, "stubborn cached", toldNow(t, store))
	})
}

// TestStuckStore: a store that takes nothing any more does not keep a stopped run for
// ever.
func TestStuckStore(t *testing.T) {
	for when, late := range map[string]time.Duration{"the write began before the end": 0, "the write began after it": time.Hour} {
		t.Run(when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &stopping{Store: agentgraph.NewMemStore()}
				job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					return s.Step("a", func(*agentgraph.Step) error { time.Sleep(late); store.dead.Store(true); return nil })
				}, &agentgraph.ResumableOptions{Store: store})
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				began := time.Now()
				_, err := job.Run(ctx, "run", nil)
				require.Error(t, err)
				require.Equal(t, max(late, time.Minute)+5*time.Second, time.Since(began))
			})
		})
	}
}

// TestErrorOfAStoppedRun: the error of a body that fails after its run was stopped is
// in the journal; that it was stopped, which the status says, is not, unless its cause
// must not be compared.
func TestErrorOfAStoppedRun(t *testing.T) {
	for _, c := range []struct {
		cause error
		fail  func(context.Context) error
		want  string
	}{
		{nil, func(context.Context) error { return errors.New("boom") }, "boom"},
		{nil, context.Cause, ""},
		{errCause, context.Cause, ""},
		{incomparable{[]int{1}}, context.Cause, "[1]"},
	} {
		store := agentgraph.NewMemStore()
		ctx, cancel := context.WithCancelCause(context.Background())
		job := agentgraph.NewResumable("job", func(*agentgraph.Step) error { cancel(c.cause); return c.fail(ctx) }, &agentgraph.ResumableOptions{Store: store})
		_, err := job.Run(ctx, "run", nil)
		require.Error(t, err)
		info, err := agentgraph.Inspect(context.Background(), store, "run")
		require.NoError(t, err)
		require.Equal(t, agentgraph.RunInterrupted, info.Status)
		require.Equal(t, c.want, info.Error)
	}
}
