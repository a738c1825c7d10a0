package agentgraph_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// apart is a roster of agents that do not hear each other, each on the channel of
// its own name.
func apart(t *testing.T, parallel int, agents agentgraph.Registry[string]) *agentgraph.Roster[string] {
	t.Helper()
	g := agentgraph.Vertex("in")
	for name := range agents {
		g = agentgraph.Overlay(g, agentgraph.Connect(agentgraph.Channels(name), agentgraph.Vertex("in"), agentgraph.Vertex(name)))
	}
	agents["in"] = agentgraph.External[string]()
	r, err := agentgraph.ToRoster(g, agents)
	require.NoError(t, err)
	return r.With(agentgraph.Options{Parallel: parallel})
}

func toEach(n int, names ...string) []post {
	var posts []post
	for range n {
		for _, name := range names {
			posts = append(posts, agentgraph.NewPost("user", []string{name}, ""))
		}
	}
	return posts
}

// TestWorkAheadIsBounded: while the turn that is due takes its time, no more than 64
// turns for each of Parallel are started, that one included.
func TestWorkAheadIsBounded(t *testing.T) {
	for _, parallel := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			var started atomic.Int64
			free := make(chan bool)
			r := apart(t, parallel, agentgraph.Registry[string]{
				"a": agentgraph.Atomic(agentgraph.Each(func(post) []post { started.Add(1); <-free; return nil })),
				"b": agentgraph.Atomic(agentgraph.Each(func(post) []post { started.Add(1); return nil })),
				"c": agentgraph.Atomic(agentgraph.Each(func(post) []post { started.Add(1); return nil })),
			})
			done := make(chan error)
			go func() {
				_, err := r.Run(context.Background(), append(toEach(1, "a"), toEach(500, "b", "c")...))
				done <- err
			}()
			synctest.Wait()
			require.Equal(t, int64(64*parallel), started.Load())
			close(free)
			require.NoError(t, <-done)
			require.Equal(t, int64(1001), started.Load())
		})
	}
}

// TestFinishedTurnsCountAfterACancel: those that have come to an end in their order,
// when every agent at work has come to an end, and no others.
func TestFinishedTurnsCountAfterACancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		free := make(chan bool)
		say := func(body string) []post { return []post{{Body: body}} }
		r := apart(t, 3, agentgraph.Registry[string]{
			"a": agentgraph.Atomic(agentgraph.Each(func(post) []post { <-free; return say("a") })),
			"b": agentgraph.Atomic(agentgraph.Each(func(post) []post { return say("b") })),
			"c": agentgraph.Atomic(agentgraph.EachContext(func(ctx context.Context, _ post) ([]post, error) { <-ctx.Done(); return nil, ctx.Err() })),
			"d": agentgraph.Atomic(agentgraph.Each(func(post) []post { return say("d") })),
		})
		m := r.Open()
		require.NoError(t, m.Post(toEach(1, "a", "b", "c", "d")...))
		done := make(chan error)
		go func() { done <- m.Run(ctx) }()
		synctest.Wait() // a and c are at work, b and d are done
		require.Len(t, m.Log(), 4)
		cancel()
		synctest.Wait() // a still is
		close(free)
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, []string{"", "", "", "", "a", "b"}, bodies(m.Log()))
		var waiting []string
		for _, w := range m.Pending() {
			waiting = append(waiting, fmt.Sprint(w.At, len(w.Posts)))
		}
		require.Equal(t, []string{"c1", "d1"}, waiting)
	})
}

// TestTimesOfTurnsDoNotFall: a turn that was worked ahead, and began before one that
// comes before it, is told with the time of that one.
func TestTimesOfTurnsDoNotFall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := func(d time.Duration, outs ...post) agentgraph.Node[string] {
			return agentgraph.Atomic(agentgraph.Each(func(post) []post { time.Sleep(d); return outs }))
		}
		g := agentgraph.Overlay(
			agentgraph.Connect(agentgraph.Channels("work"), agentgraph.Vertex("in"), agentgraph.Vertices("a", "z")),
			agentgraph.Connect(agentgraph.Channels("next"), agentgraph.Vertex("a"), agentgraph.Vertex("b")),
		)
		r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
			"in": agentgraph.External[string](), "a": takes(50*time.Millisecond, post{}), "b": takes(0), "z": takes(0),
		})
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		_, result, err := meet(store, "run", r.With(agentgraph.Options{Parallel: 2}), []post{agentgraph.NewPost("in", []string{"work"}, "")})
		require.NoError(t, err)
		var times []string
		turns := result.Steps[0].Children
		for _, n := range turns {
			times = append(times, fmt.Sprint(n.StepName, " ", n.CreatedAt.Sub(turns[0].CreatedAt)))
		}
		require.Equal(t, []string{"a 0s", "b 50ms", "z 50ms"}, times)
		require.Empty(t, toldOfLast(t, store, "run", result))
	})
}
