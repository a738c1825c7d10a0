package agentgraph_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// stopping is a store that writes nothing any more once it is dead, as if the
// process had been killed.
type stopping struct {
	agentgraph.Store
	dead atomic.Bool
}

func (s *stopping) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if s.dead.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.Store.Append(ctx, runID, after, records...)
}

// toldNow is what another process reads of the last attempt.
func toldNow(t *testing.T, store agentgraph.Store) string {
	t.Helper()
	runs, err := agentgraph.NewResumable("job", nil, &agentgraph.ResumableOptions{Store: store}).StepsRun(context.Background(), "run")
	require.NoError(t, err)
	require.NotEmpty(t, runs)
	return tellSteps(runs[len(runs)-1])
}

// TestStartedSteps: a step that lasts is to be seen while it runs, with those around
// it, and after its process was killed; a short one costs no write of its own.
func TestStartedSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stopping{Store: agentgraph.NewMemStore()}
		ctx, cancel := context.WithCancel(context.Background())
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			if err := s.Step("short", func(*agentgraph.Step) error { time.Sleep(100 * time.Millisecond); return nil }); err != nil {
				return err
			}
			s.Go("beside", func(s *agentgraph.Step) error { time.Sleep(2 * time.Second); return nil })
			return s.Step("outer", func(s *agentgraph.Step) error {
				return s.Step("long", func(s *agentgraph.Step) error {
					<-s.Context().Done()
					return context.Cause(s.Context())
				})
			})
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(ctx, "run", nil); done <- err }()
		time.Sleep(150 * time.Millisecond)
		require.Equal(t, "short executed", toldNow(t, store.Store), "the others have just begun")
		time.Sleep(time.Second)
		require.Equal(t, "short executed, beside started, outer started (long started)", toldNow(t, store.Store))
		records := 0
		for _, err := range store.Read(ctx, "run", 0) {
			require.NoError(t, err)
			records++
		}
		require.Equal(t, 5, records, "the attempt, the short one in one record, and three beginnings")
		time.Sleep(2 * time.Second)
		require.Equal(t, "short executed, beside executed, outer started (long started)", toldNow(t, store.Store))

		store.dead.Store(true)
		cancel()
		require.Error(t, <-done)
		require.Equal(t, "short executed, beside executed, outer started (long started)", toldNow(t, store.Store))
	})
}

// TestStartedTurns: the same of the turns of a meeting, and one that lasted and then
// failed is shown once.
func TestStartedTurns(t *testing.T) {
	for _, end := range []string{"well", "error", "cancel", "kill"} {
		for _, parallel := range []int{1, 4} {
			synctest.Test(t, func(t *testing.T) {
				store := &stopping{Store: agentgraph.NewMemStore()}
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				last := agentgraph.Atomic(agentgraph.EachContext(func(ctx context.Context, in post) ([]post, error) {
					select {
					case <-time.After(3 * time.Second):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					if end == "error" {
						return nil, errOwn
					}
					return nil, nil
				}))
				team := agentgraph.Nested(agentgraph.Vertex("slow"), agentgraph.Registry[string]{"slow": last})
				g := agentgraph.Connect(agentgraph.Channels("c"), agentgraph.Vertex("a"), agentgraph.Vertex("team"))
				r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"a": echo("!"), "team": team})
				require.NoError(t, err)
				r = r.With(agentgraph.Options{Parallel: parallel})
				job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					_, err := agentgraph.RunMeeting(s, "talk", r, []post{agentgraph.NewPost("user", []string{"c"}, "hi")})
					return err
				}, &agentgraph.ResumableOptions{Store: store})
				type ended struct {
					result *agentgraph.Result
					err    error
				}
				done := make(chan ended, 1)
				go func() { result, err := job.Run(ctx, "run", nil); done <- ended{result, err} }()
				time.Sleep(time.Second)
				require.Equal(t, "talk started (team started (team/slow started))", toldNow(t, store.Store))
				switch end {
				case "kill":
					store.dead.Store(true)
					cancel()
				case "cancel":
					cancel()
				}
				got := <-done
				switch end {
				case "kill":
					require.Error(t, got.err)
					require.Equal(t, "talk started (team started (team/slow started))", toldNow(t, store.Store))
				case "well":
					require.NoError(t, got.err)
					require.Equal(t, "talk executed (team executed (team/slow executed))", toldNow(t, store.Store))
				case "error":
					require.ErrorIs(t, got.err, errOwn)
					requireTold(t, job, "run", got.result)
				case "cancel":
					require.ErrorIs(t, got.err, context.Canceled)
					requireTold(t, job, "run", got.result)
				}
			})
		}
	}
}

// TestStartedNode: a nested node whose turn goes on is to be seen once, though an agent
// beside it was ahead of that turn's end.
func TestStartedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lasting := func(d time.Duration) agentgraph.Node[string] {
			return agentgraph.Atomic(agentgraph.EachContext(func(context.Context, post) ([]post, error) {
				time.Sleep(d)
				return []post{{Body: "x"}}, nil
			}))
		}
		inner := agentgraph.Nested(agentgraph.Pipeline([]string{"p", "q"}, "h"),
			agentgraph.Registry[string]{"p": lasting(time.Second), "q": lasting(time.Minute)}, agentgraph.Hears("p"))
		team := agentgraph.Nested(agentgraph.Overlay(agentgraph.Vertex("inner"), agentgraph.Vertex("other")),
			agentgraph.Registry[string]{"inner": inner, "other": lasting(5 * time.Second)})
		g := agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("seat"), agentgraph.Vertices("team", "z"))
		r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"seat": agentgraph.External[string](), "team": team, "z": lasting(3 * time.Second)})
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			_, err := agentgraph.RunMeeting(s, "talk", r.With(agentgraph.Options{Parallel: 8}), []post{agentgraph.NewPost("u", []string{"in"}, "hi")})
			return err
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error, 1)
		go func() { _, err := job.Run(context.Background(), "run", nil); done <- err }()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, "talk started (team started (team/inner started (team/inner/p executed, team/inner/q started), team/other executed), z executed)", toldNow(t, store))
		require.NoError(t, <-done)
		require.Equal(t, "talk executed (team executed (team/inner executed (team/inner/p executed, team/inner/q executed), team/other executed), z executed)", toldNow(t, store))
	})
}
