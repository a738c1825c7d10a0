package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// yard counts who is at work in it.
type yard struct{ inside, most atomic.Int64 }

// enter counts one in, and out again when the returned function is called.
func (y *yard) enter() func() {
	n := y.inside.Add(1)
	for {
		most := y.most.Load()
		if n <= most || y.most.CompareAndSwap(most, n) {
			break
		}
	}
	return func() { y.inside.Add(-1) }
}

// requireTidy checks that nobody is left at work, and that the goroutines are no
// more than before. The last instructions of one that has said that it is done
// are waited for.
func requireTidy(t *testing.T, y *yard, before int) {
	t.Helper()
	require.Zero(t, y.inside.Load(), "agents still at work")
	for range 10_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	require.LessOrEqual(t, runtime.NumGoroutine(), before, "goroutines left:\n%s", stacks)
}

// makers is every way to make an agent of one function.
var makers = map[string]func(f func(in post) ([]post, error)) agentgraph.Agent[string]{
	"Each": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.Each(func(in post) []post { outs, _ := f(in); return outs })
	},
	"Tape": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.Tape(func(history []post) []post { outs, _ := f(history[len(history)-1]); return outs })
	},
	"Machine": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.Machine(0, func(n int, in post) (int, []post) { outs, _ := f(in); return n + 1, outs })
	},
	"EachContext": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.EachContext(func(_ context.Context, in post) ([]post, error) { return f(in) })
	},
	"TapeContext": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.TapeContext(func(_ context.Context, history []post) ([]post, error) { return f(history[len(history)-1]) })
	},
	"MachineContext": func(f func(in post) ([]post, error)) agentgraph.Agent[string] {
		return agentgraph.MachineContext(0, func(_ context.Context, n int, in post) (int, []post, error) {
			outs, err := f(in)
			return n + 1, outs, err
		})
	},
}

var makerNames = []string{"Each", "Tape", "Machine", "EachContext", "TapeContext", "MachineContext"}

var errOwn = errors.New("my own")

// mishap is a way for an agent to go wrong, and what is then known of it.
type mishap struct {
	name  string
	do    func() error
	check func(t *testing.T, err error)
}

var mishaps = []mishap{
	{"panic", func() error { panic("at the disco") }, func(t *testing.T, err error) {
		p := requirePanic(t, err)
		require.Equal(t, "at the disco", p.Value)
		require.NoError(t, errors.Unwrap(p))
		require.ErrorContains(t, err, "at the disco")
	}},
	{"panic of an error", func() error { panic(fmt.Errorf("deep: %w", io.ErrUnexpectedEOF)) }, func(t *testing.T, err error) {
		requirePanic(t, err)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}},
	{"panic of nil", func() error { panic(nil) }, func(t *testing.T, err error) {
		var isNil *runtime.PanicNilError
		requirePanic(t, err)
		require.ErrorAs(t, err, &isNil)
	}},
	{"runtime error", func() error { var none []int; _ = none[len(none)]; return nil }, func(t *testing.T, err error) {
		var re runtime.Error
		requirePanic(t, err)
		require.ErrorAs(t, err, &re)
	}},
	{"Goexit", func() error { runtime.Goexit(); return nil }, func(t *testing.T, err error) {
		requirePanic(t, err)
		require.ErrorContains(t, err, "Goexit")
	}},
	{"error", func() error { return errOwn }, func(t *testing.T, err error) {
		require.ErrorIs(t, err, errOwn)
	}},
}

func requirePanic(t *testing.T, err error) *agentgraph.PanicError {
	t.Helper()
	var p *agentgraph.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, string(p.Stack), "hygiene_test.go", "the stack shows where")
	return p
}

// crew is six workers that hear the channel in, one of them in a nested node and
// the fourth in trouble with its second post.
func crew(t *testing.T, y *yard, worker func(f func(in post) ([]post, error)) agentgraph.Agent[string], trouble func() error) *agentgraph.Roster[string] {
	t.Helper()
	reg := agentgraph.Registry[string]{"src": agentgraph.External[string]()}
	var names []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		names = append(names, name)
		reg[name] = agentgraph.Atomic(worker(func(in post) ([]post, error) {
			defer y.enter()()
			if name == "d" && in.Body == "2" {
				if err := trouble(); err != nil {
					return nil, err
				}
			}
			return []post{{Body: name + in.Body}}, nil
		}))
	}
	reg["team"] = agentgraph.Nested(agentgraph.Vertex("x"), agentgraph.Registry[string]{"x": reg["a"]})
	g := agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("src"), agentgraph.Vertices(append(names, "team")...))
	r, err := agentgraph.ToRoster(g, reg)
	require.NoError(t, err)
	return r
}

func inputs(bodies ...string) []post {
	var posts []post
	for _, body := range bodies {
		posts = append(posts, agentgraph.NewPost("user", []string{"in"}, body))
	}
	return posts
}

// requireTrouble runs a crew and checks that it stops at d's second post, each
// time anew, with all that went before committed and nothing else.
func requireTrouble(t *testing.T, y *yard, r *agentgraph.Roster[string], check func(t *testing.T, err error)) {
	t.Helper()
	before := runtime.NumGoroutine()
	m := r.Open()
	require.NoError(t, m.Post(inputs("1", "2", "3")...))
	for range 2 {
		err := m.Run(context.Background())
		var agent *agentgraph.AgentError
		require.ErrorAs(t, err, &agent)
		require.Equal(t, "d", agent.Agent)
		require.Equal(t, "user#1", agent.Input.String())
		check(t, err)
		require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), err.Error())

		posted := ids(m.Log())
		require.Equal(t, []string{"user#0", "user#1", "user#2", "a#0", "b#0", "c#0", "d#0", "e#0", "team/x#0", "a#1", "b#1", "c#1"}, posted)
		require.Equal(t, []wantWaiting{
			{"a", []string{"user#2"}},
			{"b", []string{"user#2"}},
			{"c", []string{"user#2"}},
			{"d", []string{"user#1", "user#2"}},
			{"e", []string{"user#1", "user#2"}},
			{"team", []string{"user#1", "user#2"}},
		}, waitingOf(m.Pending()))
		requireTidy(t, y, before)
	}
}

func TestMishaps(t *testing.T) {
	for _, maker := range makerNames {
		for _, mishap := range mishaps {
			if mishap.name == "error" && !strings.HasSuffix(maker, "Context") {
				continue
			}
			for _, parallel := range []int{1, 2, 8} {
				t.Run(fmt.Sprintf("%s/%s/%d", maker, mishap.name, parallel), func(t *testing.T) {
					y := &yard{}
					r := crew(t, y, makers[maker], mishap.do).With(agentgraph.Options{Parallel: parallel})
					requireTrouble(t, y, r, mishap.check)
				})
			}
		}
	}
}

// TestMishapsInMiddleware: what goes wrong around an agent is told like what goes
// wrong in it.
func TestMishapsInMiddleware(t *testing.T) {
	none := func() error { return nil }
	for _, when := range []string{"before", "after"} {
		for _, mishap := range mishaps {
			for _, parallel := range []int{1, 2, 8} {
				t.Run(fmt.Sprintf("%s/%s/%d", when, mishap.name, parallel), func(t *testing.T) {
					y := &yard{}
					around := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
						return func(ctx context.Context, agent string, in post) ([]post, error) {
							defer y.enter()()
							trouble := agent == "d" && in.Body == "2"
							if trouble && when == "before" {
								return nil, mishap.do()
							}
							outs, err := next(ctx, agent, in)
							if trouble {
								return nil, mishap.do()
							}
							return outs, err
						}
					}
					r := crew(t, y, makers["Tape"], none).With(agentgraph.Options{Parallel: parallel}).Use(around)
					requireTrouble(t, y, r, mishap.check)
				})
			}
		}
	}
}

// TestMiddlewareRecoversInside: a panic of the agent's comes to its middleware as
// an error, which it may make up for.
func TestMiddlewareRecoversInside(t *testing.T) {
	for _, parallel := range []int{1, 8} {
		y := &yard{}
		heal := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
			return func(ctx context.Context, agent string, in post) ([]post, error) {
				outs, err := next(ctx, agent, in)
				var p *agentgraph.PanicError
				if errors.As(err, &p) {
					return []post{{Body: "sorry"}}, nil
				}
				return outs, err
			}
		}
		r := crew(t, y, makers["Each"], func() error { panic("once more") }).With(agentgraph.Options{Parallel: parallel}).Use(heal)
		log, err := r.Run(context.Background(), inputs("2"))
		require.NoError(t, err)
		require.Equal(t, "sorry", log[4].Body)
		require.Equal(t, "d#0", log[4].ID.String())
	}
}

func TestMiddlewareOrderRetryAndSkip(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	note := func(mark string) agentgraph.Middleware[string] {
		return func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
			return func(ctx context.Context, agent string, in post) ([]post, error) {
				mu.Lock()
				calls = append(calls, mark+" "+agent+" "+in.Body)
				mu.Unlock()
				return next(ctx, agent, in)
			}
		}
	}
	twice := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			if in.Body == "skip" {
				return nil, nil
			}
			if _, err := next(ctx, agent, in); err != nil {
				return nil, err
			}
			return next(ctx, agent, in)
		}
	}
	count := agentgraph.Nested(agentgraph.Vertex("x"), agentgraph.Registry[string]{
		"x": agentgraph.Atomic(agentgraph.Machine(0, func(n int, _ post) (int, []post) { return n + 1, []post{{Body: fmt.Sprint(n + 1)}} })),
	})
	r, err := agentgraph.ToRoster(agentgraph.Vertex("team"), agentgraph.Registry[string]{"team": count})
	require.NoError(t, err)
	everyone := func(body string) post { return agentgraph.NewPost("user", []string{agentgraph.Everyone}, body) }

	log, err := r.Use(note("outer")).Use(twice, note("inner")).Run(context.Background(), []post{everyone("one"), everyone("skip"), everyone("two")})
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2"}, bodies(log[3:]), "each retry begins from the same state, and a skipped turn leaves it")
	require.Equal(t, []string{
		"outer team/x one", "inner team/x one", "inner team/x one",
		"outer team/x skip",
		"outer team/x two", "inner team/x two", "inner team/x two",
	}, calls)
}

func bodies(posts []post) []string {
	list := []string{}
	for _, p := range posts {
		list = append(list, p.Body)
	}
	return list
}

func TestCancelledBefore(t *testing.T) {
	for _, parallel := range []int{1, 2, 8} {
		y := &yard{}
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		m := crew(t, y, makers["Each"], func() error { return nil }).With(agentgraph.Options{Parallel: parallel}).Open()
		require.NoError(t, m.Post(inputs("1")...))
		err := m.Run(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "agentgraph: ")
		require.Zero(t, y.most.Load(), "no agent is called")
		require.Len(t, m.Log(), 1)
		requireTidy(t, y, before)

		require.NoError(t, m.Run(context.Background()))
		require.Len(t, m.Log(), 7)
		requireTidy(t, y, before)
	}
}

// patient is a crew whose agents wait for their context to be cancelled unless
// they are let go.
func patient(t *testing.T, y *yard, letGo func(agent string) bool) *agentgraph.Roster[string] {
	t.Helper()
	reg := agentgraph.Registry[string]{}
	names := []string{"a", "b", "c", "d", "e", "f"}
	for _, name := range names {
		reg[name] = agentgraph.Atomic(agentgraph.TapeContext(func(ctx context.Context, history []post) ([]post, error) {
			defer y.enter()()
			if letGo(name) {
				return []post{{Body: name}}, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}))
	}
	r, err := agentgraph.ToRoster(agentgraph.Vertices(names...), reg)
	require.NoError(t, err)
	return r
}

func toEveryone() post { return agentgraph.NewPost("user", []string{agentgraph.Everyone}, "go") }

// TestCancelledDuring cancels when as many agents wait as can be at work.
func TestCancelledDuring(t *testing.T) {
	for _, parallel := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := &yard{}
				var free atomic.Bool
				m := patient(t, y, func(string) bool { return free.Load() }).With(agentgraph.Options{Parallel: parallel}).Open()
				require.NoError(t, m.Post(toEveryone()))
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				began := time.Now()
				err := m.Run(ctx)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, time.Hour, time.Since(began))
				require.EqualValues(t, min(parallel, 6), y.most.Load(), "as many at once as allowed")
				require.Zero(t, y.inside.Load())
				require.Len(t, m.Log(), 1)
				require.Len(t, m.Pending(), 6)

				free.Store(true)
				require.NoError(t, m.Run(context.Background()))
				require.Equal(t, []string{"user#0", "a#0", "b#0", "c#0", "d#0", "e#0", "f#0"}, ids(m.Log()))
			})
		})
	}
}

// TestOwnContextError: an agent's own context error is its own when the
// meeting's context is well.
func TestOwnContextError(t *testing.T) {
	g, reg := agentgraph.Vertex("a"), agentgraph.Registry[string]{
		"a": agentgraph.Atomic(agentgraph.EachContext(func(context.Context, post) ([]post, error) { return nil, context.DeadlineExceeded })),
	}
	_, err := agentgraph.RunGraph(context.Background(), g, reg, []post{toEveryone()})
	var agent *agentgraph.AgentError
	require.ErrorAs(t, err, &agent)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// leavings are the ways to leave the Turns loop in the middle of its first turn.
var leavings = map[string]func(turns iter.Seq2[agentgraph.Turn[string], error]){
	"break": func(turns iter.Seq2[agentgraph.Turn[string], error]) {
		for range turns {
			break
		}
	},
	"panic": func(turns iter.Seq2[agentgraph.Turn[string], error]) {
		defer func() { _ = recover() }()
		for range turns {
			panic("enough")
		}
	},
	"Goexit": func(turns iter.Seq2[agentgraph.Turn[string], error]) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range turns {
				runtime.Goexit()
			}
		}()
		<-done
	},
	"pull": func(turns iter.Seq2[agentgraph.Turn[string], error]) {
		next, stop := iter.Pull2(turns)
		next()
		stop()
	},
}

// TestLeaving leaves the loop while others work ahead: their context is
// cancelled and they are waited for; later they are asked again.
func TestLeaving(t *testing.T) {
	for _, how := range []string{"break", "panic", "Goexit", "pull"} {
		for _, parallel := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%s/%d", how, parallel), func(t *testing.T) {
				y := &yard{}
				before := runtime.NumGoroutine()
				var free atomic.Bool
				m := patient(t, y, func(agent string) bool { return agent == "a" || free.Load() }).With(agentgraph.Options{Parallel: parallel}).Open()
				require.NoError(t, m.Post(toEveryone()))
				leavings[how](m.Turns(context.Background()))
				requireTidy(t, y, before)
				require.Equal(t, []string{"user#0", "a#0"}, ids(m.Log()))
				require.Len(t, m.Pending(), 5)

				free.Store(true)
				require.NoError(t, m.Run(context.Background()))
				require.Equal(t, []string{"user#0", "a#0", "b#0", "c#0", "d#0", "e#0", "f#0"}, ids(m.Log()))
				requireTidy(t, y, before)
			})
		}
	}
}

// TestNeverStarted: a loop that nobody enters, and a meeting that nobody runs,
// cost no goroutine.
func TestNeverStarted(t *testing.T) {
	y := &yard{}
	before := runtime.NumGoroutine()
	m := patient(t, y, func(string) bool { return true }).With(agentgraph.Options{Parallel: 8}).Open()
	require.NoError(t, m.Post(toEveryone()))
	_ = m.Turns(context.Background())
	requireTidy(t, y, before)
	require.Len(t, m.Pending(), 6)
}

// TestOneAtATime: an agent is never at two posts at once, and no more agents are
// at work than Parallel allows.
func TestOneAtATime(t *testing.T) {
	all := &yard{}
	reg := agentgraph.Registry[string]{}
	names := []string{"a", "b", "c", "d", "e", "f"}
	yards := map[string]*yard{}
	for _, name := range names {
		own := &yard{}
		yards[name] = own
		reg[name] = agentgraph.Atomic(agentgraph.Each(func(in post) []post {
			defer all.enter()()
			defer own.enter()()
			runtime.Gosched()
			return nil
		}))
	}
	r, err := agentgraph.ToRoster(agentgraph.Vertices(names...), reg)
	require.NoError(t, err)
	var many []post
	for range 50 {
		many = append(many, toEveryone())
	}
	_, err = r.With(agentgraph.Options{Parallel: 3}).Run(context.Background(), many)
	require.NoError(t, err)
	require.LessOrEqual(t, all.most.Load(), int64(3))
	for name, own := range yards {
		require.EqualValues(t, 1, own.most.Load(), name)
	}
}

// TestWallTime: independent pipelines run side by side to their ends, and the
// stages of one work on different posts at once. Time is counted exactly.
func TestWallTime(t *testing.T) {
	slow := func() agentgraph.Node[string] {
		return agentgraph.Atomic(agentgraph.Each(func(in post) []post {
			time.Sleep(time.Second)
			return []post{{Body: in.Body}}
		}))
	}
	build := func(lines, stages int) (agentgraph.Graph, agentgraph.Registry[string]) {
		g, reg := agentgraph.Empty(), agentgraph.Registry[string]{}
		for l := range lines {
			names := []string{}
			for s := range stages + 1 {
				name := fmt.Sprintf("line%d-%d", l, (s*7)%(stages+1)) // not in the order of names
				names = append(names, name)
				reg[name] = slow()
			}
			reg[names[0]] = agentgraph.External[string]()
			g = agentgraph.Overlay(g, agentgraph.Pipeline(names, fmt.Sprintf("s%d", l)))
		}
		return g, reg
	}
	for _, c := range []struct {
		lines, stages, posts, parallel int
		want                           time.Duration
	}{
		{1, 4, 1, 1, 4 * time.Second},
		{1, 4, 1, 8, 4 * time.Second},
		{1, 4, 3, 1, 12 * time.Second},
		{1, 4, 3, 8, 6 * time.Second},
		{3, 4, 1, 8, 4 * time.Second},
		{3, 4, 3, 1, 36 * time.Second},
		{3, 4, 3, 16, 6 * time.Second},
	} {
		t.Run(fmt.Sprintf("%d lines/%d stages/%d posts/parallel %d", c.lines, c.stages, c.posts, c.parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, reg := build(c.lines, c.stages)
				r, err := agentgraph.ToRoster(g, reg)
				require.NoError(t, err)
				var posts []post
				for l := range c.lines {
					for range c.posts {
						posts = append(posts, agentgraph.NewPost("user", []string{fmt.Sprintf("s%d.1", l)}, "p"))
					}
				}
				began := time.Now()
				log, err := r.With(agentgraph.Options{Parallel: c.parallel}).Run(context.Background(), posts)
				require.NoError(t, err)
				require.Len(t, log, c.lines*c.posts*(c.stages+1))
				require.Equal(t, c.want, time.Since(began))
			})
		})
	}
}
