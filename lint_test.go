package agentgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/internal/shadow"
)

func quiet() Node[string] { return Atomic(Each(func(Post[string]) []Post[string] { return nil })) }

func quietAll(names ...Name) Registry[string] {
	reg := Registry[string]{}
	for _, name := range names {
		reg[name] = quiet()
	}
	return reg
}

func findings(t testing.TB, g Graph, reg Registry[string], kinds ...FindingKind) []Finding {
	t.Helper()
	return slices.DeleteFunc(Lint(g, reg).Findings, func(f Finding) bool {
		return len(kinds) > 0 && !slices.Contains(kinds, f.Kind)
	})
}

func TestLintOfNothing(t *testing.T) {
	require.Empty(t, Lint[string](Graph{}, nil).Findings)
	require.Equal(t, "no findings\n", Lint[string](Graph{}, nil).String())
}

// A graph without a registry is linted for what it is.
func TestLintWithoutRegistry(t *testing.T) {
	require.Equal(t, `unreachable: nobody can reach "a"
no poster: nobody inside can post to "p.1", which "b" can hear
`, Lint[string](Pipeline([]Name{"a", "b"}, "p"), nil).String())
}

func TestLintFindsNothingInPipelineFromSeat(t *testing.T) {
	reg := quietAll("b", "c")
	reg["a"] = External[string]()
	require.Empty(t, findings(t, Pipeline([]Name{"a", "b", "c"}, "p"), reg))
}

func TestLintUnreachable(t *testing.T) {
	g := Overlay(Vertices("lone", "other", "seat"), Connect(Channels("c"), Vertex("head"), Vertex("tail")))
	reg := quietAll("lone", "other", "head", "tail")
	reg["seat"] = External[string]()
	require.Equal(t, []Finding{
		{Kind: LintUnreachable, Names: []Name{"head", "lone", "other"}},
		{Kind: LintNoPoster, Names: []Name{"tail"}, Channels: Channels("c")},
	}, findings(t, g, reg))
}

// Ports decide which members can be reached from around their node.
func TestLintUnreachableMember(t *testing.T) {
	reg := Registry[string]{
		"seat": External[string](),
		"team": Nested(Vertices("x", "y"), quietAll("x", "y"), Hears("x")),
	}
	require.Equal(t, []Finding{
		{Kind: LintUnreachable, Path: "team", Names: []Name{"team/y"}},
	}, findings(t, Pipeline([]Name{"seat", "team"}, "p"), reg))
}

func TestLintChannelsWithOneSide(t *testing.T) {
	deaf := Nested(Vertex("x"), quietAll("x"), Hears("nobody"))
	mute := Nested(Vertex("x"), quietAll("x"), Speaks("nobody"))
	reg := Registry[string]{"seat": External[string](), "deaf": deaf, "mute": mute, "b": quiet()}
	g := Overlay(
		Connect(Channels("in"), Vertex("seat"), Vertices("deaf", "mute")),
		Connect(Channels("lost"), Vertices("seat", "b"), Vertex("deaf")),
		Connect(Channels("empty"), Vertex("mute"), Vertex("b")),
	)
	require.Equal(t, []Finding{
		{Kind: LintUnreachable, Names: []Name{"b"}},
		{Kind: LintNoSubscriber, Names: []Name{"b", "seat"}, Channels: Channels("lost")},
		{Kind: LintNoPoster, Names: []Name{"b"}, Channels: Channels("empty")},
		{Kind: LintUnreachable, Path: "deaf", Names: []Name{"deaf/x"}},
	}, findings(t, g, reg, LintUnreachable, LintNoSubscriber, LintNoPoster))
}

func TestLintUnusedEntries(t *testing.T) {
	inner := quietAll("x", "old", "older")
	reg := quietAll("a", "spare")
	reg["t1"] = Nested(Vertex("x"), inner)
	reg["t2"] = Nested(Vertices("x", "older"), inner)
	require.Equal(t, []Finding{
		{Kind: LintUnused, Names: []Name{"spare"}},
		{Kind: LintUnused, Path: "t1", Names: []Name{"t1/old"}},
	}, findings(t, Vertices("a", "t2", "t1"), reg, LintUnused))
}

func TestLintLoops(t *testing.T) {
	names := []Name{"a", "b", "c", "d", "self"}
	g := Overlay(
		Connect(Channels("ab"), Vertex("a"), Vertex("b")),
		Connect(Channels("ba", "back"), Vertex("b"), Vertex("a")),
		Connect(Channels("bc"), Vertex("b"), Vertex("c")),
		Connect(Channels("s"), Vertex("self"), Vertex("self")),
	)
	require.Equal(t, []Finding{
		{Kind: LintLoop, Names: []Name{"a", "b"}, Channels: Channels("ab", "ba", "back")},
		{Kind: LintLoop, Names: []Name{"self"}, Channels: Channels("s")},
	}, findings(t, Overlay(g, Vertices(names...)), quietAll(names...), LintLoop))
}

// A seat waits for somebody to answer, so nothing goes round by itself.
func TestLintLoopStopsAtSeat(t *testing.T) {
	g := Bus([]Name{"a", "seat"}, "c")
	reg := quietAll("a")
	reg["seat"] = External[string]()
	require.Equal(t, []Finding{{Kind: LintLoop, Names: []Name{"a"}, Channels: Channels("c")}}, findings(t, g, reg))
}

// What goes into a node by one member and comes out by another goes round only
// if the members are joined.
func TestLintLoopThroughNode(t *testing.T) {
	outer := Overlay(
		Connect(Channels("in"), Vertex("a"), Vertex("team")),
		Connect(Channels("out"), Vertex("team"), Vertex("a")),
	)
	around := func(inner Graph) []Finding {
		reg := quietAll("a")
		reg["team"] = Nested(inner, quietAll("x", "y"), Hears("x"), Speaks("y"))
		return findings(t, outer, reg, LintLoop)
	}
	require.Empty(t, around(Vertices("x", "y")))
	require.Empty(t, around(Connect(Channels("c"), Vertex("y"), Vertex("x"))))
	require.Equal(t, []Finding{
		{Kind: LintLoop, Names: []Name{"a", "team/x", "team/y"}, Channels: Channels("in", "out", "team/c")},
	}, around(Connect(Channels("c"), Vertex("x"), Vertex("y"))))
	require.Equal(t, []Finding{
		{Kind: LintLoop, Path: "team", Names: []Name{"team/x"}, Channels: Channels("team/c")},
	}, around(Overlay(Vertex("y"), Connect(Channels("c"), Vertex("x"), Vertex("x")))))
}

func TestLintShadow(t *testing.T) {
	g := Overlay(
		Connect(Channels("c"), Vertex("a"), Vertex("b")),
		Connect(Channels("c", "d"), Vertex("x"), Vertex("y")),
		Connect(Channels("e"), Vertex("a"), Vertex("y")), // an edge, so no shadow
	)
	require.Equal(t, []Finding{{
		Kind: LintShadow, Names: []Name{"b"}, Channels: Channels("c"), Count: 1,
		Shadows: []Edge{{"x", "b", Channels("c")}},
	}}, findings(t, g, nil, LintShadow))
}

func TestLintShadowInNodes(t *testing.T) {
	g := Overlay(
		Connect(Channels("c"), Vertex("a"), Vertex("b")),
		Connect(Channels("c"), Vertex("x"), Vertex("y")),
	)
	node := Nested(g, quietAll("a", "b", "x", "y"))
	got := findings(t, Vertices("n", "m"), Registry[string]{"n": node, "m": node}, LintShadow)
	require.Len(t, got, 2)
	require.Equal(t, Finding{
		Kind: LintShadow, Path: "m", Names: []Name{"m/b", "m/y"}, Channels: Channels("m/c"), Count: 2,
		Shadows: []Edge{{"m/x", "m/b", Channels("m/c")}, {"m/a", "m/y", Channels("m/c")}},
	}, got[0])
	require.Equal(t, "n", got[1].Path)
}

func TestLintShadowOfShapes(t *testing.T) {
	names := manyNames(50)
	require.Empty(t, findings(t, Bus(names, "c"), nil, LintShadow))
	require.Empty(t, findings(t, Star("hub", names, "out", "in"), nil, LintShadow))
	require.Empty(t, findings(t, Pipeline(names, "p"), nil, LintShadow))
	chain := findings(t, Chain(names, "c"), nil, LintShadow)
	require.Len(t, chain, 1)
	require.Equal(t, 48*49/2, chain[0].Count)
	require.Len(t, chain[0].Shadows, shadow.MostShown)
	require.False(t, chain[0].Partial)
}

// A recursive registry is refused by ToRoster; Lint takes it as it is. Followed
// along every path, this one would have 12! places.
func TestLintOfRecursiveRegistry(t *testing.T) {
	names := manyNames(12)
	reg := Registry[string]{}
	for _, name := range names {
		reg[name] = Nested(Vertices(names...), reg)
	}
	require.Empty(t, findings(t, Vertices(names...), reg))
	require.Empty(t, findings(t, Graph{}, Registry[string]{"x": Nested[string](Graph{}, nil)}, LintLoop))
}

func TestLintOfDeepNesting(t *testing.T) {
	node := quiet()
	for range 1000 {
		node = Nested(Vertex("n"), Registry[string]{"n": node})
	}
	require.Len(t, findings(t, Vertex("n"), Registry[string]{"n": node}), 1)
}

func TestLintIsStable(t *testing.T) {
	names := manyNames(20)
	g := Overlay(Chain(names, "c"), Chain(names[5:], "d"), Bus(names[:3], "e"))
	first := Lint(g, quietAll("x", "y", "z"))
	for range 20 {
		require.Equal(t, first, Lint(g, quietAll("z", "y", "x")))
	}
}

func TestReportText(t *testing.T) {
	r := Report{[]Finding{
		{Kind: LintUnreachable, Names: manyNames(12)},
		{Kind: LintNoSubscriber, Path: "t", Names: []Name{"t/a"}, Channels: Channels("t/c")},
		{Kind: LintNoPoster, Names: []Name{"a", "b"}, Channels: Channels("c")},
		{Kind: LintUnused, Names: []Name{"old"}},
		{Kind: LintLoop, Names: []Name{"a"}, Channels: Channels("c", "d")},
		{Kind: LintLoop, Names: []Name{"a", "b"}, Channels: Channels("c")},
		{Kind: LintShadow, Channels: Channels("c"), Count: 3, Shadows: []Edge{{From: "a", To: "x"}, {From: "b", To: "x"}, {From: "a", To: "y"}}},
		{Kind: LintShadow, Channels: Channels("c"), Count: 1, Partial: true, Shadows: []Edge{{From: "a", To: "x"}}},
		{Kind: LintShadow, Channels: Channels("c"), Partial: true},
	}}
	require.Equal(t, `unreachable: nobody can reach "a0000000", "a0000001", "a0000002", "a0000003", "a0000004", "a0000005", "a0000006", "a0000007", "a0000008", "a0000009" and 2 more
in "t": no subscriber: nobody hears "t/c", where "t/a" can post
no poster: nobody inside can post to "c", which "a", "b" can hear
unused: no vertex for the registry's "old"
loop: "a" hears itself over "c", "d" and can go on for ever
loop: "a", "b" hear each other over "c" and can go on for ever
shadow: over "c" "x" hears "a", "b"; "y" hears "a": 3 pairs without an edge
shadow: over "c" "x" hears "a": at least 1 pair without an edge
shadow: over "c" not all pairs could be compared
`, r.String())
}

// randomGraph is an expression over a few names and channels, with shared parts.
func randomGraph(r *rand.Rand) Graph {
	parts := []Graph{Vertex("a"), Vertex("b"), Vertex("c"), Vertex("d"), Vertex("e")}
	pick := func() Graph { return parts[r.IntN(len(parts))] }
	for range 2 + r.IntN(14) {
		switch r.IntN(6) {
		case 0:
			parts = append(parts, Vertex(string(rune('a'+r.IntN(7)))))
		case 1:
			parts = append(parts, Vertices(string(rune('a'+r.IntN(7))), string(rune('a'+r.IntN(7)))))
		case 2:
			parts = append(parts, Overlay(pick(), pick()))
		default:
			var channels []Channel
			for range 1 + r.IntN(2) {
				channels = append(channels, string(rune('p'+r.IntN(3))))
			}
			parts = append(parts, Connect(Channels(channels...), pick(), pick()))
		}
	}
	return Overlay(pick(), pick(), pick(), pick(), parts[len(parts)-1])
}

// naiveShadows compares all pairs.
func naiveShadows(g Graph) map[Channel][]Edge {
	shadows := map[Channel][]Edge{}
	wiring := ChannelMap(g)
	for _, to := range g.Names() {
		for _, from := range g.Names() {
			if g.Label(from, to).Len() > 0 {
				continue
			}
			for ch := range wiring[from].Out.All() {
				if wiring[to].In.Contains(ch) {
					shadows[ch] = append(shadows[ch], Edge{from, to, Channels(ch)})
				}
			}
		}
	}
	return shadows
}

func TestShadowsAreThoseOfAllPairs(t *testing.T) {
	with := 0
	for seed := range uint64(2000) {
		g := randomGraph(rand.New(rand.NewPCG(seed, 1)))
		want := naiveShadows(g)
		with += len(want)
		for _, limits := range []shadow.Limits{shadow.UsualLimits(), {Pairs: 0, Work: 1 << 28, Gather: 1 << 25}} {
			w := g.root.Wires()
			got := map[Channel][]Edge{}
			for _, sh := range shadow.Find(g.root.Form(), w, limits) {
				require.False(t, sh.Partial)
				require.Len(t, sh.Shown, sh.Count)
				ch := w.Sets.Channels()[sh.Channel]
				for _, p := range sh.Shown {
					got[ch] = append(got[ch], Edge{w.Names[p.From], w.Names[p.To], Channels(ch)})
				}
			}
			require.Equal(t, want, got, "%v", g)
		}
	}
	require.Greater(t, with, 500)
}

// Whatever the limits, nothing is claimed that is not so, and what is left open
// is said to be.
func TestShadowsWithinLimits(t *testing.T) {
	open := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		g := randomGraph(r)
		want := naiveShadows(g)
		w := g.root.Wires()
		for _, sh := range shadow.Find(g.root.Form(), w, shadow.Limits{Pairs: r.IntN(20), Work: r.IntN(200), Gather: r.IntN(30)}) {
			ch := w.Sets.Channels()[sh.Channel]
			for _, p := range sh.Shown {
				require.Contains(t, want[ch], Edge{w.Names[p.From], w.Names[p.To], Channels(ch)})
			}
			require.LessOrEqual(t, sh.Count, len(want[ch]))
			if sh.Partial {
				open++
			} else {
				require.Equal(t, len(want[ch]), sh.Count)
			}
			delete(want, ch)
		}
		require.Empty(t, want, "%v", g)
	}
	require.Greater(t, open, 100)
}

func TestLintAtScale(t *testing.T) {
	names := manyNames(100_000)
	bus := Lint[string](Bus(names, "c"), nil).Findings
	require.Len(t, bus, 1)
	require.Equal(t, LintLoop, bus[0].Kind)
	require.Len(t, bus[0].Names, len(names))

	n := len(names)
	chain := findings(t, Chain(names, "c"), nil, LintShadow)
	require.Len(t, chain, 1)
	require.Equal(t, (n-1)*(n-2)/2, chain[0].Count)
	require.False(t, chain[0].Partial)

	ring := Overlay(Pipeline(names, "p"), Connect(Channels("back"), Vertex(names[n-1]), Vertex(names[0])))
	loop := findings(t, ring, nil)
	require.Len(t, loop, 1)
	require.Len(t, loop[0].Names, n)
}

func BenchmarkLint(b *testing.B) {
	names := manyNames(1_000_000)
	for _, shape := range []struct {
		name  string
		graph Graph
	}{
		{"bus", Bus(names, "c")},
		{"star", Star("hub", names, "out", "in")},
		{"chain", Chain(names, "c")},
		{"pipeline", Pipeline(names, "p")},
		{"ring", Overlay(Pipeline(names, "p"), Connect(Channels("back"), Vertex(names[len(names)-1]), Vertex(names[0])))},
	} {
		b.Run(fmt.Sprintf("%s/1000000", shape.name), func(b *testing.B) {
			for b.Loop() {
				Lint[string](shape.graph, nil)
			}
		})
	}
}
