package agentgraph_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestObserverLeavesInAMeeting: an observer that calls runtime.Goexit (as FailNow of
// a test does) when a turn is skipped ends the goroutine that called Run, and nothing
// else: no goroutine is left, the attempt is told as failed, and the next goes on.
func TestObserverLeavesInAMeeting(t *testing.T) {
	for _, parallel := range []int{1, 8} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls []string
				r := lanes(t, &calls).With(agentgraph.Options{Parallel: parallel})
				posts := func(left, right string) []post {
					return []post{agentgraph.NewPost("user", []string{"left"}, left), agentgraph.NewPost("user", []string{"right"}, right)}
				}
				store := agentgraph.NewMemStore()
				_, _, err := meet(store, "run", r, posts("1", "2"))
				require.NoError(t, err)

				told := 0
				job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					_, err := agentgraph.RunMeeting(s, "talk", r, posts("1", "x"))
					return err
				}, &agentgraph.ResumableOptions{Store: store, Observer: &agentgraph.Observer{
					Skipped: func(context.Context, agentgraph.Event) { told++; runtime.Goexit() },
				}})
				gone, returned := make(chan bool), false
				go func() {
					defer close(gone)
					_, _ = job.Run(context.Background(), "run", nil)
					returned = true
				}()
				<-gone
				require.False(t, returned)
				require.Equal(t, 1, told)
				attempts, err := agentgraph.Attempts(context.Background(), store, "run")
				require.NoError(t, err)
				require.Len(t, attempts, 2)
				require.Equal(t, "agentgraph: panic: runtime.Goexit was called", attempts[1].Error)

				turns := attempts[1].Steps[0].Children
				require.NotEmpty(t, turns)
				require.Equal(t, "l", turns[0].Agent)
				require.Equal(t, agentgraph.StatusCached, turns[0].Status)

				log, _, err := meet(store, "run", r, posts("1", "x"))
				require.NoError(t, err)
				require.Equal(t, []string{"1", "x", "l1", "r1"}, bodies(log))
			})
		})
	}
}

// TestObserverWaitsInAMeeting: while an observer is told of a turn that was skipped,
// the others go on.
func TestObserverWaitsInAMeeting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		r := lanes(t, &calls).With(agentgraph.Options{Parallel: 2})
		store := agentgraph.NewMemStore()
		_, _, err := meet(store, "run", r, []post{agentgraph.NewPost("user", []string{"left"}, "1")})
		require.NoError(t, err)
		calls = nil
		right := make(chan bool)
		seen := r.Use(func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
			return func(ctx context.Context, agent string, in post) ([]post, error) {
				if in.Body == "3" {
					close(right)
				}
				return next(ctx, agent, in)
			}
		})
		job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			_, err := agentgraph.RunMeeting(s, "talk", seen, []post{
				agentgraph.NewPost("user", []string{"left"}, "1"),
				agentgraph.NewPost("user", []string{"right"}, "2"), agentgraph.NewPost("user", []string{"right"}, "3"),
			})
			return err
		}, &agentgraph.ResumableOptions{Store: store, Observer: &agentgraph.Observer{
			Skipped: func(context.Context, agentgraph.Event) {
				select {
				case <-right:
				case <-time.After(time.Minute):
					t.Error("nothing went on")
				}
			},
		}})
		_, err = job.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, []string{"r 2", "r 3"}, calls)
	})
}

// TestObserverHearsOfSkippedTurnsInOrder: in the order of the log, each once, before
// the meeting is over.
func TestObserverHearsOfSkippedTurnsInOrder(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		store := agentgraph.NewMemStore()
		r := talk(t, agentgraph.Options{Parallel: parallel}, 5)
		work := []post{agentgraph.NewPost("boss", []string{"work"}, "one"), agentgraph.NewPost("boss", []string{"work"}, "two")}
		for range 2 {
			w := &witness{}
			job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				_, err := agentgraph.RunMeeting(s, "talk", r, work)
				return err
			}, &agentgraph.ResumableOptions{Store: store, Observer: &agentgraph.Observer{
				Skipped: func(_ context.Context, e agentgraph.Event) { w.note("%s %d", e.Agent, e.Turn) },
				End:     func(_ context.Context, e agentgraph.Event) { w.note("end of %s", e.Kind) },
			}})
			_, err := job.Run(context.Background(), "run", nil)
			require.Error(t, err)
			want := []string{"end of step", "end of attempt", "end of run"}
			if attempts, _ := agentgraph.Attempts(context.Background(), store, "run"); len(attempts) == 2 {
				want = append([]string{
					"a 0", "b 0", "team/x 0", "team/y 0", "total 0", "a 1", "b 1", "team/x 1", "team/y 1", "total 1", "total 2", "total 3",
				}, want...)
			}
			require.Equal(t, want, w.take())
		}
	}
}
