package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestNothingBehindAName: every way to give a vertex no agent is told by its path.
func TestNothingBehindAName(t *testing.T) {
	for name, node := range map[string]agentgraph.Node[string]{
		"zero node":          {},
		"zero agent":         agentgraph.Atomic(agentgraph.Agent[string]{}),
		"nil Each":           agentgraph.Atomic(agentgraph.Each[string](nil)),
		"nil EachContext":    agentgraph.Atomic(agentgraph.EachContext[string](nil)),
		"nil Tape":           agentgraph.Atomic(agentgraph.Tape[string](nil)),
		"nil TapeContext":    agentgraph.Atomic(agentgraph.TapeContext[string](nil)),
		"nil Machine":        agentgraph.Atomic(agentgraph.Machine[int, string](0, nil)),
		"nil MachineContext": agentgraph.Atomic(agentgraph.MachineContext[int, string](0, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			reg := agentgraph.Registry[string]{"t": agentgraph.Nested(agentgraph.Vertex("x"), agentgraph.Registry[string]{"x": node})}
			_, err := agentgraph.ToRoster(agentgraph.Vertex("t"), reg)
			require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
			require.ErrorContains(t, err, `"t/x"`)
			_, err = agentgraph.RunGraph(context.Background(), agentgraph.Vertex("t"), reg, nil)
			require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
			_, _, err = agentgraph.Flatten(agentgraph.Vertex("t"), reg)
			require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
			_, err = agentgraph.ToAgent(agentgraph.Vertex("t"), reg)
			require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
		})
	}
}

func TestNilRegistry(t *testing.T) {
	log, err := agentgraph.RunGraph[string](context.Background(), agentgraph.Graph{}, nil, inputs("1"))
	require.NoError(t, err)
	require.Equal(t, []string{"user#0"}, ids(log))

	_, err = agentgraph.ToRoster[string](agentgraph.Vertices("a", "b"), nil)
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)

	_, err = agentgraph.ToRoster(agentgraph.Vertex("t"), agentgraph.Registry[string]{"t": agentgraph.Nested[string](agentgraph.Vertex("x"), nil)})
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
}

func TestNoInputs(t *testing.T) {
	g, reg := agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": echo("")}
	log, err := agentgraph.RunGraph(context.Background(), g, reg, nil)
	require.NoError(t, err)
	require.Empty(t, log)
}

// counting is an agent that answers itself until it has counted so far.
func counting(t *testing.T, to int) *agentgraph.Roster[string] {
	t.Helper()
	a := agentgraph.Machine(0, func(n int, _ post) (int, []post) {
		if n+1 == to {
			return n + 1, nil
		}
		return n + 1, []post{{}}
	})
	r, err := agentgraph.ToRoster(agentgraph.Bus([]string{"a"}, "in"), agentgraph.Registry[string]{"a": agentgraph.Atomic(a)})
	require.NoError(t, err)
	return r
}

// TestNilRosterInUseAndWith: a nil *Roster is an empty one there, too.
func TestNilRosterInUseAndWith(t *testing.T) {
	var none *agentgraph.Roster[string]
	same := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] { return next }
	for _, r := range []*agentgraph.Roster[string]{
		none.With(agentgraph.Options{Parallel: 2}), none.Use(same), none.Use(), none.Use(same).With(agentgraph.Options{}).Use(same),
		new(agentgraph.Roster[string]).Use(same).With(agentgraph.Options{Parallel: 2}),
	} {
		log, err := r.Run(context.Background(), inputs("1"))
		require.NoError(t, err)
		require.Equal(t, []string{"1"}, bodies(log))
		require.Empty(t, r.Entries())
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		options agentgraph.Options
		turns   int
		limit   int
	}{
		{agentgraph.Options{}, 10_000, 0},
		{agentgraph.Options{}, 10_001, 10_000},
		{agentgraph.Options{MaxTurns: -1}, 10_001, 0},
		{agentgraph.Options{MaxTurns: -7, Parallel: -7}, 10_001, 0},
		{agentgraph.Options{MaxTurns: 1}, 1, 0},
		{agentgraph.Options{MaxTurns: 1}, 2, 1},
		{agentgraph.Options{MaxTurns: 1, Parallel: 8}, 2, 1},
		{agentgraph.Options{MaxTurns: 1, Parallel: 1 << 30}, 2, 1},
	} {
		t.Run(fmt.Sprintf("%+v/%d turns", c.options, c.turns), func(t *testing.T) {
			log, err := counting(t, c.turns).With(c.options).Run(context.Background(), inputs("go"))
			if c.limit == 0 {
				require.NoError(t, err)
				require.Len(t, log, c.turns)
				return
			}
			var limit *agentgraph.TurnLimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, agentgraph.TurnLimitError{Limit: c.limit, Talking: []string{"a"}, Loop: []string{"a"}}, *limit)
			require.Len(t, log, c.limit+1)
		})
	}
}

// TestWithIsExact: With sets exactly these options and Use keeps them; neither
// changes the roster it is called on.
func TestWithIsExact(t *testing.T) {
	r := counting(t, 5)
	tight := r.With(agentgraph.Options{MaxTurns: 2})
	same := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] { return next }
	for _, c := range []struct {
		roster *agentgraph.Roster[string]
		want   error
	}{
		{r, nil},
		{tight, agentgraph.ErrTurnLimit},
		{tight.Use(same), agentgraph.ErrTurnLimit},
		{tight.With(agentgraph.Options{}), nil},
	} {
		_, err := c.roster.Run(context.Background(), inputs("go"))
		if c.want == nil {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, c.want)
	}
}

func TestUnknownChannels(t *testing.T) {
	reg := agentgraph.Registry[string]{"a": echo(""), "t": agentgraph.Nested(agentgraph.Bus([]string{"x"}, "k"), agentgraph.Registry[string]{"x": echo("")})}
	r, err := agentgraph.ToRoster(agentgraph.Vertices("a", "t"), reg)
	require.NoError(t, err)
	for _, to := range [][]string{nil, {}, {""}, {"nobody"}, {agentgraph.Outside}, {"t/"}, {"t"}, {"t/nobody"}, {"t/x"}, {"/t/k"}, {"k"}, {"t/k/"}} {
		m := r.Open()
		require.NoError(t, m.Post(agentgraph.Post[string]{From: "user", To: to, Body: "?"}))
		require.Empty(t, m.Pending(), "%q", to)
		require.NoError(t, m.Run(context.Background()))
		require.Len(t, m.Log(), 1)
		require.NotNil(t, m.Log()[0].To, "a committed post's To is never nil")
		require.ElementsMatch(t, to, m.Log()[0].To)
	}
}

// TestPostsAreCopied: what the caller does to its slices later does not show, and
// neither does what it does to a log it was given.
func TestPostsAreCopied(t *testing.T) {
	g, reg := agentgraph.Bus([]string{"a"}, "in"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil }))}
	r, err := agentgraph.ToRoster(g, reg)
	require.NoError(t, err)
	m := r.Open()
	p := agentgraph.Post[string]{From: "user", To: []string{"zz", "in", "in"}, Thread: []agentgraph.PostID{{From: "b", N: 1}, {From: "a", N: 2}, {From: "b", N: 1}}, Body: "1"}
	require.NoError(t, m.Post(p))
	p.To[1], p.Thread[0] = "out", agentgraph.PostID{From: "c"}
	want := []wantPost{{"user#0", "user", []string{"in", "zz"}, []string{"a#2", "b#1"}, "1"}}
	require.Equal(t, want, logOf(m.Log()))

	log := m.Log()
	_ = append(log, post{Body: "scribble"})
	require.NoError(t, m.Post(agentgraph.NewPost("user", nil, "2")))
	require.Equal(t, "2", m.Log()[1].Body)
	_ = append(log, post{Body: "scribble"})
	require.Equal(t, "2", m.Log()[1].Body)

	delete(reg, "a")
	require.NoError(t, m.Run(context.Background()), "later changes to the registry do not show")
}

func TestForgedPostTakesNoneOfTheOthers(t *testing.T) {
	inner := agentgraph.Registry[string]{"x": echo(""), "seat": agentgraph.External[string]()}
	r, err := agentgraph.ToRoster(agentgraph.Vertices("a", "t"), agentgraph.Registry[string]{"a": echo(""), "t": agentgraph.Nested(agentgraph.Vertices("x", "seat"), inner)})
	require.NoError(t, err)
	m := r.Open()
	for _, from := range []string{"a", "t", "t/x"} {
		err := m.Post(agentgraph.NewPost("user", []string{agentgraph.Everyone}, "1"), agentgraph.NewPost(from, nil, "2"))
		require.ErrorIs(t, err, agentgraph.ErrForged)
		require.ErrorContains(t, err, fmt.Sprintf("%q", from))
		require.Empty(t, m.Log())
		require.Empty(t, m.Pending())
	}
	require.NoError(t, m.Post(agentgraph.NewPost("t/seat", nil, "1"), agentgraph.NewPost("t/other", nil, "2"), agentgraph.NewPost("", nil, "3"), agentgraph.NewPost("user", nil, "4")))
	require.Equal(t, []string{"t/seat#0", "t/other#0", "#0", "user#0"}, ids(m.Log()), "a refused post uses no number up")
}

// oddNames are names that somebody will use.
var oddNames = []string{
	`"quoted"`, "new\nline", "tab\t", "a/b", "/", "//x", "x/", "\u202eltr", "\u200f", "\x00", "#", "a#1", "a#1#2", " ", "  lead", "日本", "🙂", "..", "*",
	"-- record --", "%s", "{body}", strings.Repeat("long", 1_000), `back\slash`, "'; drop table", "<b>", "é", "e\u0301",
}

// TestOddNames: any name but the empty one is a name. They come out in the order
// of their bytes and survive JSON.
func TestOddNames(t *testing.T) {
	sorted := slices.Sorted(slices.Values(oddNames))
	reg := agentgraph.Registry[string]{}
	for _, name := range oddNames {
		reg[name] = agentgraph.Atomic(agentgraph.Each(func(in post) []post {
			if in.From != "user" {
				return nil
			}
			return []post{{Body: in.Body}}
		}))
	}
	channels := slices.DeleteFunc(slices.Clone(oddNames), func(s string) bool { return s == agentgraph.Everyone || s == agentgraph.Outside })
	for _, channel := range channels {
		log, err := agentgraph.RunGraph(context.Background(), agentgraph.Bus(oddNames, channel), reg, []post{agentgraph.NewPost("user", []string{channel}, "hi")})
		require.NoError(t, err, "%q", channel)
		require.Len(t, log, len(oddNames)+1)
		for i, p := range log[1:] {
			require.Equal(t, agentgraph.PostID{From: sorted[i]}, p.ID)
			require.Equal(t, []string{channel}, p.To)
		}
		requireRoundTrip(t, log)
	}
}

// TestOddNamesInErrors: an error quotes names, so that none can break a line of a
// log or turn it round.
func TestOddNamesInErrors(t *testing.T) {
	for _, name := range oddNames {
		_, err := agentgraph.ToRoster[string](agentgraph.Vertex(name), nil)
		requirePlain(t, err)

		fail := program{Op: "fail", At: 1, Message: "boom"}
		reg := agentgraph.Registry[string]{name: agentgraph.Atomic(fail.agent(&world{}, name))}
		r, err := agentgraph.ToRoster(agentgraph.Vertex(name), reg)
		require.NoError(t, err)
		_, err = r.Run(context.Background(), []post{agentgraph.NewPost(name+"'s friend", []string{agentgraph.Everyone}, "")})
		requirePlain(t, err)
		requirePlain(t, r.Open().Post(agentgraph.NewPost(name, nil, "")))

		shout := agentgraph.Atomic(agentgraph.Each(func(post) []post { return []post{{To: []string{name}}} }))
		_, err = agentgraph.RunGraph(context.Background(), agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": shout}, []post{toEveryone()})
		require.ErrorIs(t, err, agentgraph.ErrNotConnected)
		requirePlain(t, err)
	}
}

func requirePlain(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.True(t, strings.HasPrefix(err.Error(), "agentgraph: "), "%q", err)
	for _, r := range err.Error() {
		require.True(t, unicode.IsPrint(r), "%q has %U", err, r)
	}
}

// TestManyFaults: a graph of a million vertices and an empty registry is refused
// in a few words that say how many.
func TestManyFaults(t *testing.T) {
	n := 1_000_000
	if agentgraph.RaceEnabled || testing.Short() {
		n = 50_000
	}
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("agent-%07d", i)
	}
	_, err := agentgraph.ToRoster(agentgraph.Vertices(all...), agentgraph.Registry[string]{})
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
	require.Less(t, len(err.Error()), 1_000)
	require.ErrorContains(t, err, fmt.Sprint(n))
	require.ErrorContains(t, err, all[0])
	require.ErrorContains(t, err, all[9])
	require.NotContains(t, err.Error(), all[10])
	var graph *agentgraph.GraphError
	require.ErrorAs(t, err, &graph)
	require.Len(t, graph.Faults, n)
}

// TestFaultOfANameInANode: its path is that of the node, as of all that is wrong with
// the graph inside.
func TestFaultOfANameInANode(t *testing.T) {
	_, err := agentgraph.ToRoster(agentgraph.Vertex("team"), agentgraph.Registry[string]{
		"team": agentgraph.Nested(agentgraph.Bus([]string{"", "a"}, agentgraph.Everyone), agentgraph.Registry[string]{"a": echo("")}),
	})
	var graph *agentgraph.GraphError
	require.ErrorAs(t, err, &graph)
	require.Equal(t, []error{
		&agentgraph.Fault{Path: "team", Culprit: "*", Err: agentgraph.ErrBadChannel},
		&agentgraph.Fault{Path: "team", Culprit: "", Err: agentgraph.ErrBadName},
	}, graph.Faults)
	require.EqualError(t, graph.Faults[1], `agentgraph: "team": bad name: ""`)
}

// TestFaultsTogether: all faults come at once, in order of path.
func TestFaultsTogether(t *testing.T) {
	bus := func(name, channel string) agentgraph.Graph { return agentgraph.Bus([]string{name}, channel) }
	g := agentgraph.Overlay(agentgraph.Vertices("z", "a", "", "empty", "bad", "deep", "deep/x"), bus("a", "*"), bus("a", ""), bus("a", ".."), bus("a", "deep/k"))
	_, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"a": echo(""), "": echo(""), "deep/x": echo(""),
		"empty": agentgraph.Nested(agentgraph.Graph{}, agentgraph.Registry[string]{}),
		"bad":   agentgraph.Nested(agentgraph.Vertex("x"), agentgraph.Registry[string]{"x": echo("")}, agentgraph.Hears("nope"), agentgraph.Speaks()),
		"deep":  agentgraph.Nested(agentgraph.Vertices("x", "y"), agentgraph.Registry[string]{"x": echo("")}),
	})
	var graph *agentgraph.GraphError
	require.ErrorAs(t, err, &graph)
	kinds := map[error]int{}
	var paths []string
	for _, f := range graph.Faults {
		var fault *agentgraph.Fault
		require.ErrorAs(t, f, &fault)
		kinds[fault.Err]++
		paths = append(paths, fault.Path)
	}
	require.Equal(t, map[error]int{
		agentgraph.ErrMissingAgent: 2, agentgraph.ErrBadName: 1, agentgraph.ErrBadChannel: 3,
		agentgraph.ErrEmptyNested: 1, agentgraph.ErrBadPort: 2, agentgraph.ErrCollision: 2,
	}, kinds)
	require.True(t, slices.IsSorted(paths), "%q", paths)
	for range 3 { // the text does not depend on the order of a map
		_, again := agentgraph.ToRoster(g, agentgraph.Registry[string]{})
		_, twice := agentgraph.ToRoster(g, agentgraph.Registry[string]{})
		require.Equal(t, again.Error(), twice.Error())
	}
}

// TestRecursiveNesting: a registry that leads back to itself is refused; one that
// is only used twice is not.
func TestRecursiveNesting(t *testing.T) {
	self := agentgraph.Registry[string]{}
	self["t"] = agentgraph.Nested(agentgraph.Vertex("t"), self)
	_, err := agentgraph.ToRoster(agentgraph.Vertex("t"), self)
	require.ErrorIs(t, err, agentgraph.ErrRecursiveNesting)
	_, _, err = agentgraph.Flatten(agentgraph.Vertex("t"), self)
	require.ErrorIs(t, err, agentgraph.ErrRecursiveNesting)

	one, other := agentgraph.Registry[string]{}, agentgraph.Registry[string]{}
	one["t"] = agentgraph.Nested(agentgraph.Vertex("u"), other)
	other["u"] = agentgraph.Nested(agentgraph.Vertex("t"), one)
	_, err = agentgraph.ToRoster(agentgraph.Vertex("t"), one)
	require.ErrorIs(t, err, agentgraph.ErrRecursiveNesting)

	shared := agentgraph.Registry[string]{"x": echo("")}
	nested := agentgraph.Nested(agentgraph.Vertex("x"), shared)
	both := agentgraph.Registry[string]{"t": nested, "u": nested}
	_, err = agentgraph.ToRoster(agentgraph.Vertices("t", "u"), both)
	require.NoError(t, err)
	twice := agentgraph.Registry[string]{"v": agentgraph.Nested(agentgraph.Vertices("t", "u"), both), "x": echo(""), "t": nested}
	_, err = agentgraph.ToRoster(agentgraph.Vertices("v", "t", "x"), twice)
	require.NoError(t, err)
}

// TestNothingOfAFailedTurn: when one of several outputs cannot be addressed, none
// is committed, and their numbers stay free.
func TestNothingOfAFailedTurn(t *testing.T) {
	var bad bool
	a := agentgraph.Atomic(agentgraph.Machine(0, func(n int, _ post) (int, []post) {
		outs := []post{{Body: fmt.Sprint(n)}, {Body: "second"}}
		if bad {
			outs[1].To = []string{"elsewhere"}
		}
		return n + 1, outs
	}))
	r, err := agentgraph.ToRoster(agentgraph.Connect(agentgraph.Channels("c"), agentgraph.Vertex("a"), agentgraph.Vertex("b")), agentgraph.Registry[string]{"a": a, "b": agentgraph.External[string]()})
	require.NoError(t, err)
	m := r.Open()
	require.NoError(t, m.Post(agentgraph.NewPost("user", []string{agentgraph.Everyone}, "go")))
	bad = true
	err = m.Run(context.Background())
	var channel *agentgraph.ChannelError
	require.True(t, errors.As(err, &channel))
	require.Equal(t, "elsewhere", channel.Channel)
	require.Len(t, m.Log(), 1)
	bad = false
	require.NoError(t, m.Run(context.Background()))
	require.Equal(t, []string{"user#0", "a#0", "a#1"}, ids(m.Log()))
	require.Equal(t, []string{"go", "0", "second"}, bodies(m.Log()), "the machine's state is that of before")
}
