package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestMishapsInDurableMeetings: what goes wrong in an agent ends a meeting that is a
// step as it ends others; the turns before it are kept, and it goes on from there.
func TestMishapsInDurableMeetings(t *testing.T) {
	for _, maker := range []string{"Each", "Tape", "MachineContext"} {
		for _, m := range mishaps {
			if m.name == "error" && maker != "MachineContext" {
				continue
			}
			for _, parallel := range []int{1, 8} {
				for _, runID := range []string{"", "run"} {
					t.Run(fmt.Sprint(maker, "/", m.name, "/", parallel, runID), func(t *testing.T) {
						y, before := &yard{}, runtime.NumGoroutine()
						broken := true
						trouble := func() error {
							if broken {
								return m.do()
							}
							return nil
						}
						r := crew(t, y, makers[maker], trouble).With(agentgraph.Options{Parallel: parallel})
						want, wantErr := r.Run(context.Background(), inputs("1", "2", "3"))
						store := agentgraph.NewMemStore()
						log, result, err := meet(store, runID, r, inputs("1", "2", "3"))
						m.check(t, err)
						requireStepError(t, err, "talk")
						var got, plain *agentgraph.AgentError
						require.ErrorAs(t, err, &got)
						require.ErrorAs(t, wantErr, &plain)
						require.Equal(t, plain.Error(), got.Error())
						require.Equal(t, asJSON(t, want), asJSON(t, log))
						require.Equal(t, agentgraph.StatusError, result.Steps[0].Status)
						require.Empty(t, toldOfLast(t, store, runID, result))
						requireTidy(t, y, before)

						broken = false
						want, err = r.Run(context.Background(), inputs("1", "2", "3"))
						require.NoError(t, err)
						log, result, err = meet(store, runID, r, inputs("1", "2", "3"))
						require.NoError(t, err)
						require.Equal(t, asJSON(t, want), asJSON(t, log))
						require.Empty(t, toldOfLast(t, store, runID, result))
						requireTidy(t, y, before)
					})
				}
			}
		}
	}
}

// TestBadAddressInDurableMeeting: the turn is not recorded, and neither is one that
// says what JSON cannot hold.
func TestBadAddressInDurableMeeting(t *testing.T) {
	for name, c := range map[string]struct {
		bad   post
		is    error
		plain bool // the meeting refuses it, too, where it is no step
	}{
		"To":          {post{To: []string{"nowhere"}, Body: "x"}, agentgraph.ErrNotConnected, true},
		"body":        {post{Body: "\xff"}, nil, false},
		"To, no text": {post{To: []string{"\xff"}, Body: "x"}, agentgraph.ErrNotConnected, true},
		"Thread":      {post{Thread: []agentgraph.PostID{{From: "\xff"}}, Body: "x"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			calls, bad := 0, true
			reg := agentgraph.Registry[string]{"a": agentgraph.Atomic(agentgraph.Each(func(in post) []post {
				if calls++; bad {
					return []post{{Body: "good"}, c.bad}
				}
				return nil
			}))}
			r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), reg)
			require.NoError(t, err)
			_, err = r.Run(context.Background(), []post{toEveryone()})
			require.Equal(t, c.plain, err != nil)
			store := agentgraph.NewMemStore()
			calls = 0
			for n := 1; n <= 2; n++ {
				log, result, err := meet(store, "run", r, []post{toEveryone()})
				var agent *agentgraph.AgentError
				require.ErrorAs(t, err, &agent)
				requireStepError(t, err, "talk")
				if c.is != nil {
					require.ErrorIs(t, err, c.is)
				}
				require.Len(t, log, 1)
				require.Equal(t, n, calls)
				require.Empty(t, toldOfLast(t, store, "run", result))
			}
			bad = false
			_, _, err = meet(store, "run", r, []post{toEveryone()})
			require.NoError(t, err)
			require.Equal(t, 3, calls)
		})
	}
}

// TestInputsThatJSONCannotHold: the meeting does not begin.
func TestInputsThatJSONCannotHold(t *testing.T) {
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": echo("")})
	require.NoError(t, err)
	for _, bad := range []post{
		agentgraph.NewPost("user", []string{agentgraph.Everyone}, "\xff"),
		agentgraph.NewPost("\xff", []string{agentgraph.Everyone}, ""),
		agentgraph.NewPost("user", []string{"\xff"}, ""),
	} {
		log, result, err := meet(agentgraph.NewMemStore(), "run", r, []post{bad})
		require.ErrorContains(t, err, "UTF-8")
		requireStepError(t, err, "")
		require.Empty(t, log)
		require.Empty(t, result.Steps)
	}
	_, _, err = meet(agentgraph.NewMemStore(), "run", r, []post{agentgraph.NewPost("a", []string{agentgraph.Everyone}, "")})
	require.ErrorIs(t, err, agentgraph.ErrForged)
	requireStepError(t, err, "talk")
}

// TestNamesThatJSONCannotHold: a roster may have them, but a durable meeting cannot be
// written down, and says which name it is.
func TestNamesThatJSONCannotHold(t *testing.T) {
	team := func(name, channel string) agentgraph.Node[string] {
		return agentgraph.Nested(agentgraph.Bus([]string{name}, channel), agentgraph.Registry[string]{name: echo("")})
	}
	for _, c := range []struct {
		g    agentgraph.Graph
		node agentgraph.Node[string]
		text string
		is   error
	}{
		{agentgraph.Vertex("a\xff"), echo(""), `agentgraph: roster of a meeting: "a\xff" is not valid UTF-8: bad name`, agentgraph.ErrBadName},
		{agentgraph.Vertex("t"), team("x\xff", "c"), `agentgraph: roster of a meeting: "t/x\xff" is not valid UTF-8: bad name`, agentgraph.ErrBadName},
		{agentgraph.Bus([]string{"a"}, "c\xff"), echo(""), `agentgraph: roster of a meeting: "c\xff", which "a" hears or posts to, is not valid UTF-8: bad channel on an edge`, agentgraph.ErrBadChannel},
		{agentgraph.Vertex("t"), team("x", "c\xff"), `agentgraph: roster of a meeting: "t/c\xff", which "t/x" hears or posts to, is not valid UTF-8: bad channel on an edge`, agentgraph.ErrBadChannel},
		{agentgraph.Connect(agentgraph.Channels("c\xff"), agentgraph.Vertex("a"), agentgraph.Empty()), echo(""), "", nil},
	} {
		reg := agentgraph.Registry[string]{}
		for _, name := range c.g.Names() {
			reg[name] = c.node
		}
		r, err := agentgraph.ToRoster(c.g, reg)
		require.NoError(t, err)
		for _, runID := range []string{"", "run"} {
			_, _, err := meet(agentgraph.NewMemStore(), runID, r, nil)
			if c.is == nil {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, c.is)
			var step *agentgraph.StepError
			require.ErrorAs(t, err, &step)
			require.EqualError(t, step.Err, c.text)
		}
	}
}

// TestNoRoster: a nil or zero one is empty.
func TestNoRoster(t *testing.T) {
	for _, r := range []*agentgraph.Roster[string]{nil, new(agentgraph.Roster[string])} {
		for range 2 {
			log, _, err := meet(agentgraph.NewMemStore(), "run", r, inputs("1"))
			require.NoError(t, err)
			require.Equal(t, []string{"user#0"}, ids(log))
		}
	}
}

// lanes are two agents that do not hear each other.
func lanes(t *testing.T, calls *[]string) *agentgraph.Roster[string] {
	t.Helper()
	var mu sync.Mutex
	note := func(name string) agentgraph.Node[string] {
		return agentgraph.Atomic(agentgraph.Tape(func(history []post) []post {
			mu.Lock()
			defer mu.Unlock()
			*calls = append(*calls, name+" "+history[len(history)-1].Body)
			return []post{{Body: fmt.Sprint(name, len(history))}}
		}))
	}
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("left"), agentgraph.Vertex("in"), agentgraph.Vertex("l")),
		agentgraph.Connect(agentgraph.Channels("right"), agentgraph.Vertex("in"), agentgraph.Vertex("r")),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"in": agentgraph.External[string](), "l": note("l"), "r": note("r")})
	require.NoError(t, err)
	return r
}

// TestChangedInputs: only turns whose post or state is another are taken anew.
func TestChangedInputs(t *testing.T) {
	say := func(to, body string) post { return agentgraph.NewPost("user", []string{to}, body) }
	var calls []string
	r := lanes(t, &calls)
	store := agentgraph.NewMemStore()
	for _, c := range []struct {
		inputs []post
		calls  []string
	}{
		{[]post{say("left", "1"), say("right", "2"), say("left", "3")}, []string{"l 1", "r 2", "l 3"}},
		{[]post{say("left", "1"), say("right", "2"), say("left", "3")}, nil},
		{[]post{say("left", "1"), say("right", "x"), say("left", "3")}, []string{"r x"}},
		{[]post{say("left", "1"), say("right", "2"), say("left", "y")}, []string{"l y"}},
		{[]post{say("left", "0"), say("right", "2"), say("left", "3")}, []string{"l 0", "l 3"}},
		{[]post{say("left", "1"), say("right", "2"), say("left", "3")}, nil},
		{[]post{say("left", "1")}, nil},
		{nil, nil},
	} {
		calls = nil
		log, result, err := meet(store, "run", r, c.inputs)
		require.NoError(t, err)
		require.Equal(t, c.calls, calls)
		require.Empty(t, toldOfLast(t, store, "run", result))
		plain, err := r.Run(context.Background(), c.inputs)
		require.NoError(t, err)
		require.Equal(t, asJSON(t, plain), asJSON(t, log))
	}
}

// TestTurnLimitOfDurableMeeting: recorded turns count, too, and with a higher limit
// it goes on.
func TestTurnLimitOfDurableMeeting(t *testing.T) {
	store := agentgraph.NewMemStore()
	r := counting(t, 10)
	for _, limit := range []int{3, 3, 7} {
		log, result, err := meet(store, "run", r.With(agentgraph.Options{MaxTurns: limit}), inputs("0"))
		require.ErrorIs(t, err, agentgraph.ErrTurnLimit)
		requireStepError(t, err, "talk")
		require.Len(t, log, limit+1)
		require.Empty(t, toldOfLast(t, store, "run", result))
	}
	log, _, err := meet(store, "run", r, inputs("0"))
	require.NoError(t, err)
	require.Len(t, log, 10)
}

// TestMiddlewareOfDurableMeeting: it sees the turns that run and no others; a turn
// that it takes twice is recorded once, from one state, and under one key.
func TestMiddlewareOfDurableMeeting(t *testing.T) {
	store := agentgraph.NewMemStore()
	var keys, seen []string
	var fail bool
	count := agentgraph.MachineContext(0, func(ctx context.Context, n int, in post) (int, []post, error) {
		info, ok := agentgraph.TurnFrom(ctx)
		require.True(t, ok)
		require.Equal(t, "run", info.RunID)
		keys = append(keys, info.IdempotencyKey)
		if fail && in.Body == "3" {
			return 0, nil, errOwn
		}
		return n + 1, []post{{Body: fmt.Sprint(n)}}, nil
	})
	twice := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			seen = append(seen, in.Body)
			info, ok := agentgraph.TurnFrom(ctx)
			require.True(t, ok)
			require.Equal(t, "run", info.RunID)
			if in.Body == "skip" {
				return []post{{Body: "mine"}}, nil
			}
			_, _ = next(ctx, agent, in)
			require.Equal(t, info.IdempotencyKey, keys[len(keys)-1])
			return next(ctx, agent, in)
		}
	}
	g := agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("src"), agentgraph.Vertex("a"))
	roster, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"src": agentgraph.External[string](), "a": agentgraph.Atomic(count)})
	require.NoError(t, err)
	r := roster.Use(twice)
	fail = true
	log, _, err := meet(store, "run", r, inputs("1", "skip", "2", "3"))
	require.ErrorIs(t, err, errOwn)
	require.Equal(t, []string{"1", "skip", "2", "3", "0", "mine", "1"}, bodies(log))
	require.Equal(t, []string{"1", "skip", "2", "3"}, seen)
	require.Len(t, keys, 6)
	for i := 0; i < 6; i += 2 {
		require.Equal(t, keys[i], keys[i+1], "a turn that is taken again")
	}
	failed := keys[5]
	distinct := slices.Compact(slices.Sorted(slices.Values(keys)))
	require.Len(t, distinct, 3)
	require.NotContains(t, distinct, "")

	fail, keys, seen = false, nil, nil
	log, _, err = meet(store, "run", r, inputs("1", "skip", "2", "3"))
	require.NoError(t, err)
	require.Equal(t, []string{"1", "skip", "2", "3", "0", "mine", "1", "2"}, bodies(log))
	require.Equal(t, []string{"3"}, seen)
	require.Equal(t, []string{failed, failed}, keys, "in another process, too")

	seen = nil
	again, _, err := meet(store, "run", r, inputs("1", "skip", "2", "3"))
	require.NoError(t, err)
	require.Equal(t, asJSON(t, log), asJSON(t, again))
	require.Empty(t, seen)
}

// secret is a body of which JSON keeps a part only.
type secret struct {
	Shown  string
	Any    any
	hidden int
}

// TestBodiesThatJSONChanges: an agent gets what JSON makes of them, whether the turn
// before it ran or was skipped, and so does who reads the log.
func TestBodiesThatJSONChanges(t *testing.T) {
	type memo struct {
		Any    any
		hidden int
	}
	var seen []secret
	var states []memo
	broken := true
	agent := func(name string) agentgraph.Node[secret] {
		return agentgraph.Atomic(agentgraph.MachineContext(memo{7, 7}, func(_ context.Context, m memo, in agentgraph.Post[secret]) (memo, []agentgraph.Post[secret], error) {
			if name == "c" && broken {
				return m, nil, errOwn
			}
			seen, states = append(seen, in.Body), append(states, m)
			return memo{9, 9}, []agentgraph.Post[secret]{{Body: secret{name, []int{1}, 8}}, {Body: secret{name, 1, 8}}}, nil
		}))
	}
	r, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"a", "b", "c"}, "hop"), agentgraph.Registry[secret]{"a": agent("a"), "b": agent("b"), "c": agent("c")})
	require.NoError(t, err)
	inputs := []agentgraph.Post[secret]{
		agentgraph.NewPost("user", []string{agentgraph.Everyone}, secret{"user", map[string]int{"n": 1}, 8}),
	}
	check := func() {
		t.Helper()
		for _, body := range seen {
			require.Zero(t, body.hidden)
			switch v := body.Any.(type) {
			case float64, []any, map[string]any:
			default:
				t.Fatalf("%T", v)
			}
		}
		for _, m := range states {
			require.Zero(t, m.hidden)
			require.IsType(t, float64(0), m.Any)
		}
	}
	for _, runID := range []string{"", "run"} {
		broken, seen, states = false, nil, nil
		whole, _, err := meet(agentgraph.NewMemStore(), runID, r, inputs)
		require.NoError(t, err)
		check()

		store := agentgraph.NewMemStore()
		broken, seen, states = true, nil, nil
		_, _, err = meet(store, runID, r, inputs)
		require.ErrorIs(t, err, errOwn)
		broken = false
		for range 2 {
			log, _, err := meet(store, runID, r, inputs)
			require.NoError(t, err)
			require.Equal(t, whole, log)
			check()
		}
	}
}

// TestBodiesOfAnyKind: a meeting of any: what it says is what JSON makes of it.
func TestBodiesOfAnyKind(t *testing.T) {
	for _, body := range []any{1, "text", nil, []int{1}, struct{ A int }{1}, int64(9007199254740993), uint8(1), error(nil), []byte("x")} {
		r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[any]{"a": agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[any]) []agentgraph.Post[any] {
			return []agentgraph.Post[any]{{Body: body}}
		}))})
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		inputs := []agentgraph.Post[any]{agentgraph.NewPost[any]("user", []string{agentgraph.Everyone}, body)}
		first, _, err := meet(store, "run", r, inputs)
		require.NoError(t, err)
		again, _, err := meet(store, "run", r, inputs)
		require.NoError(t, err)
		bare, _, err := meet(store, "", r, inputs)
		require.NoError(t, err)
		require.Equal(t, first, again)
		require.Equal(t, first, bare)
		require.Equal(t, first[0].Body, first[1].Body)
	}
}

// TestStateThatJSONCannotHold: it is told as the agent's, and the turn is not kept.
func TestStateThatJSONCannotHold(t *testing.T) {
	for name, agent := range map[string]agentgraph.Agent[string]{
		"start": agentgraph.Machine(make(chan int), func(c chan int, _ post) (chan int, []post) { return c, nil }),
		"after": agentgraph.Machine("", func(s string, _ post) (string, []post) { return "\xff", []post{{Body: "said"}} }),
	} {
		r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agent)})
		require.NoError(t, err)
		for _, runID := range []string{"", "run"} {
			log, _, err := meet(agentgraph.NewMemStore(), runID, r, []post{toEveryone()})
			var e *agentgraph.AgentError
			require.True(t, errors.As(err, &e), name)
			require.Equal(t, "a", e.Agent)
			require.ErrorContains(t, err, "state of the agent: ")
			requireStepError(t, err, "talk")
			require.Len(t, log, 1)
		}
	}
}
