package agentgraph

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
	"weak"

	"github.com/stretchr/testify/require"
)

// shownRunes is how much the text of a graph or a set of channels shows.
const shownRunes = 1000

func TestZeroGraphIsEmpty(t *testing.T) {
	for _, g := range []Graph{{}, Empty(), Vertices(), Overlay(), Bus(nil, "c"), Chain(nil, "c"), Pipeline(nil, "p")} {
		require.True(t, g.IsEmpty())
		require.Equal(t, 0, g.Size())
		require.Nil(t, g.Names())
		require.Nil(t, g.Edges())
		require.False(t, g.HasVertex(""))
		require.Equal(t, ChannelSet{}, g.Label("a", "a"))
		require.Equal(t, "empty", g.String())
		require.True(t, g.Equal(Graph{}) && g.IsSubgraphOf(Graph{}) && g.IsSubgraphOf(Vertex("a")))
		require.False(t, g.Equal(Vertex("a")) || Vertex("a").Equal(g) || Vertex("a").IsSubgraphOf(g))
		require.True(t, g.Transpose().IsEmpty() && g.Induce(nil).IsEmpty() && g.Rename(nil).IsEmpty())
		require.Equal(t, 7, Fold(g, 7, nil, nil))
	}
}

func TestShapes(t *testing.T) {
	abc, hop := []Name{"a", "b", "c"}, Channels("c")
	edges := func(pairs ...Name) []Edge {
		var es []Edge
		for i := 0; i < len(pairs); i += 2 {
			es = append(es, Edge{pairs[i], pairs[i+1], hop})
		}
		return es
	}
	require.Equal(t, edges("a", "a", "a", "b", "b", "a", "b", "b"), Bus(abc[:2], "c").Edges())
	require.Equal(t, edges("a", "b", "a", "c", "b", "c"), Chain(abc, "c").Edges())
	require.Equal(t, edges("a", "a", "a", "b", "b", "a"), Chain([]Name{"a", "b", "a"}, "c").Edges())
	require.Equal(t, []Edge{
		{"a", "h", Channels("up")}, {"b", "h", Channels("up")},
		{"h", "a", Channels("down")}, {"h", "b", Channels("down")},
	}, Star("h", abc[:2], "down", "up").Edges())
	require.Equal(t, []Edge{{"a", "b", Channels("p.1")}, {"b", "c", Channels("p.2")}}, Pipeline(abc, "p").Edges())
	require.Equal(t, []Edge{{"a", "a", Channels("p.1", "p.2")}}, Pipeline([]Name{"a", "a", "a"}, "p").Edges())
	for _, one := range []Graph{Star("a", nil, "c", "d"), Chain(abc[:1], "c"), Pipeline(abc[:1], "p")} {
		require.True(t, one.Equal(Vertex("a")))
		require.Equal(t, 1, one.Size())
	}
}

func TestHopsAreNumberedInDecimal(t *testing.T) {
	g := Pipeline(numberedNames(1001), "p")
	require.Equal(t, Channels("p.1"), g.Label("n0", "n1"))
	require.Equal(t, Channels("p.9"), g.Label("n8", "n9"))
	require.Equal(t, Channels("p.10"), g.Label("n9", "n10"))
	require.Equal(t, Channels("p.1000"), g.Label("n999", "n1000"))
	require.Equal(t, 2000, g.Size())
	require.Len(t, g.Edges(), 1000)
}

func TestEdgesOfOneVertexUniteTheirChannels(t *testing.T) {
	a, b := Vertex("a"), Vertex("b")
	g := Overlay(Connect(Channels("z", "x"), a, b), Connect(Channels("y"), a, b), Connect(Channels("x"), a, b))
	require.Equal(t, []Edge{{"a", "b", Channels("x", "y", "z")}}, g.Edges())
	require.Equal(t, Channels("x", "y", "z"), g.Label("a", "b"))
	require.Equal(t, ChannelSet{}, g.Label("b", "a"))
	require.Equal(t, ChannelSet{}, g.Label("a", "nobody"))
}

func TestEqualTellsTheEndsOfEdgesApart(t *testing.T) {
	abc := Vertices("a", "b", "c")
	hop := func(from, to Name, ch Channel) Graph {
		return Overlay(abc, Connect(Channels(ch), Vertex(from), Vertex(to)))
	}
	g := hop("a", "b", "c")
	require.True(t, g.Equal(hop("a", "b", "c")))
	for _, h := range []Graph{hop("a", "c", "c"), hop("c", "b", "c"), hop("b", "a", "c"), hop("a", "b", "d"), abc} {
		require.False(t, g.Equal(h) || h.Equal(g))
		require.False(t, g.IsSubgraphOf(h))
	}
	require.True(t, abc.IsSubgraphOf(g))

	same := Vertex("c") // a vertex with the name of a channel
	join := Connect(Channels("c"), Vertex("a"), Vertex("b"))
	require.False(t, same.Equal(join) || join.Equal(same))
}

// Comparing what is shared here with what is not there must not go through the
// whole as a tree.
func TestEqualOfPartsSharedInOtherWays(t *testing.T) {
	c := Channels("c")
	x, y, z := Vertex("a"), Vertex("a"), Vertex("a")
	for range 100 {
		x, y, z = Connect(c, x, x), Connect(c, y, z), Connect(c, y, z)
	}
	require.True(t, x.Equal(y) && y.Equal(x) && y.Equal(z))
	require.False(t, x.Equal(Overlay(y, Vertex("b"))))
}

func TestManyChannelsOnOneEdge(t *testing.T) {
	var g Graph
	var all []Channel
	for i := range 20_000 {
		ch := strconv.Itoa(i % 10_000)
		all = append(all, ch)
		g = Overlay(g, Connect(Channels(ch), Vertex("a"), Vertex("b")))
	}
	require.Equal(t, []Edge{{"a", "b", Channels(all...)}}, g.Edges())
	require.Equal(t, Channels(all...), g.Label("a", "b"))
}

func TestGraphsShareNothingWithTheCaller(t *testing.T) {
	names, channels := []Name{"a", "b", "c"}, []Channel{"y", "x"}
	graphs := func() []Graph {
		set := Channels(channels...)
		return []Graph{
			Vertices(names...), Bus(names, "c"), Star("h", names, "c", "d"), Chain(names, "c"), Pipeline(names, "p"),
			Connect(set, Vertex("u"), Vertex("v")), Overlay([]Graph{Vertex("u"), Vertex("v")}...),
		}
	}
	got, want := graphs(), graphs()
	names[0], names[2], channels[0] = "z", "z", "z"
	for i := range got {
		found, edges := got[i].Names(), got[i].Edges()
		require.NotContains(t, found, "z")
		for j := range found {
			found[j] = "q"
		}
		for j := range edges {
			edges[j] = Edge{}
		}
		require.True(t, got[i].Equal(want[i]))
		require.False(t, got[i].HasVertex("q"))
	}
	require.Equal(t, Channels("x", "y"), got[5].Label("u", "v"))
}

func TestSetsShareNothingWithTheCaller(t *testing.T) {
	s, u := Channels("a", "c"), Channels("b")
	union := s.Union(u)
	_ = append(slices.Collect(s.All()), "z")
	require.Equal(t, Channels("a", "b", "c"), union)
	require.Equal(t, Channels("a", "c"), s)
	require.Equal(t, Channels("b"), u)
}

func TestEveryChannelMayStopTheLoop(t *testing.T) {
	var seen []Channel
	for ch := range Channels("b", "a", "c").All() {
		if seen = append(seen, ch); len(seen) == 2 {
			break
		}
	}
	require.Equal(t, []Channel{"a", "b"}, seen)
}

// A million connects, however they nest, must not be too deep for anything.
func TestMillionConnects(t *testing.T) {
	n := 1_000_000
	if testing.Short() || RaceEnabled {
		n = 10_000
	}
	names, c := numberedNames(n), Channels("c")
	last := Vertex(names[n-1])
	nestings := map[string]func() Graph{
		"chain":    func() Graph { return Chain(names, "c") },
		"pipeline": func() Graph { return Pipeline(names, "c") },
		"left": func() (g Graph) {
			for _, name := range names {
				g = Connect(c, g, Vertex(name))
			}
			return g
		},
		"right": func() (g Graph) {
			for _, name := range slices.Backward(names) {
				g = Connect(c, Vertex(name), g)
			}
			return g
		},
	}
	for name, build := range nestings {
		t.Run(name, func(t *testing.T) {
			g := build()
			require.Len(t, g.Names(), n)
			require.True(t, g.HasVertex(names[n-1]))
			require.Equal(t, g.Size(), Fold(g, 0, func(Name) int { return 1 }, func(_ ChannelSet, x, y int) int { return x + y }))
			require.False(t, g.Label(names[n-2], names[n-1]).Equal(ChannelSet{}))
			require.LessOrEqual(t, utf8.RuneCountInString(g.String()), shownRunes+1)

			turned := g.Transpose()
			require.True(t, turned.Transpose().Equal(g))
			require.True(t, g.Equal(g) && g.Equal(build()) && g.IsSubgraphOf(build()))
			require.False(t, g.Equal(turned))
			require.False(t, g.Equal(Overlay(g, Vertex("another"))))
			require.False(t, g.Equal(Overlay(g, Connect(Channels("another"), Vertex(names[0]), last))))

			require.Equal(t, names[:1], g.Induce(func(name Name) bool { return name == names[0] }).Names())
			require.Equal(t, []Name{"one"}, g.Rename(func(Name) Name { return "one" }).Names())
		})
	}
	require.False(t, Chain(names, "c").Equal(Chain(names, "d")))
	require.True(t, nestings["left"]().Equal(Chain(names, "c")))
}

// A graph that is small in memory costs little, however huge it is as a tree.
func TestSharedPartsAreWorkedOnOnce(t *testing.T) {
	abc := Vertices("a", "b", "c")
	edges := Connect(Channels("c"), abc, abc).Edges()
	for name, double := range map[string]func(g Graph, i int) Graph{
		"one side twice": func(g Graph, _ int) Graph { return Connect(Channels("c"), g, g) },
		"within":         func(g Graph, _ int) Graph { return Connect(Channels("c"), g, Overlay(abc, g)) },
		"by turns": func(g Graph, i int) Graph {
			if i%2 == 0 {
				return Overlay(abc, Connect(Channels("c"), g, g))
			}
			return Overlay(Connect(Channels("c"), g, abc), g)
		},
		"turned": func(g Graph, i int) Graph {
			return Overlay(Connect(Channels("c"), g, abc), Connect(Channels("c"), abc, g))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := abc
			for i := range 100 {
				g = double(g, i)
			}
			require.Equal(t, math.MaxInt, g.Size())
			require.Less(t, len(g.root.Form().Ops), 1000)
			require.Equal(t, []Name{"a", "b", "c"}, g.Names())
			require.Equal(t, edges, g.Edges())
			require.Equal(t, edges, g.Transpose().Edges())
			require.True(t, g.Equal(Bus([]Name{"c", "b", "a"}, "c")))
			require.True(t, g.Equal(g.Rename(func(name Name) Name { return name })))
			require.True(t, g.IsSubgraphOf(Overlay(g, abc)))
			require.Equal(t, []Name{"b"}, g.Induce(func(name Name) bool { return name == "b" }).Names())
			require.Equal(t, Channels("c"), g.Label("a", "a"))
			require.Equal(t, 3, len(modelOf(g).vertices))
			require.LessOrEqual(t, utf8.RuneCountInString(g.String()), shownRunes+1)
		})
	}
}

func TestSixtyDoublings(t *testing.T) {
	g := Vertex("a")
	calls := 0
	for range 60 {
		g = Overlay(g, g)
	}
	require.Equal(t, 1<<60, g.Size())
	require.Equal(t, 1<<60, Fold(g, 0, func(Name) int { calls++; return 1 }, func(_ ChannelSet, x, y int) int { calls++; return x + y }))
	require.Equal(t, 61, calls, "one vertex and sixty overlays")
	require.True(t, g.Equal(Vertex("a")))
	require.Equal(t, math.MaxInt, Overlay(g, g, g, g, g, g, g, g, g).Size())
}

func TestGraphsStayAsTheyAre(t *testing.T) {
	names := []Name{"a", "b", "c"}
	for _, g := range []Graph{
		Vertex("a"), Vertices(names...), Bus(names, "c"), Star("h", names, "c", "d"), Chain(names, "c"), Pipeline(names, "p"),
		Chain(names, "c").Transpose(), Chain(names, "c").Rename(strings.ToUpper),
	} {
		before, text := modelOf(g), g.String()
		g.Transpose()
		g.Rename(func(name Name) Name { return name + "!" })
		g.Induce(func(name Name) bool { return name != "a" })
		Connect(Channels("x"), g, g).Edges()
		require.Equal(t, before, modelOf(g))
		require.Equal(t, text, g.String())
	}
}

func TestInducedSize(t *testing.T) {
	g := Overlay(Chain([]Name{"a", "b", "a"}, "c"), Bus([]Name{"a", "b"}, "c"))
	require.Equal(t, 7, g.Size())
	require.Equal(t, 4, g.Induce(func(name Name) bool { return name == "a" }).Size())
	require.Equal(t, 1, Pipeline([]Name{"a", "b"}, "p").Induce(func(name Name) bool { return name == "a" }).Size())
}

func TestFoldLetsResultsGo(t *testing.T) {
	var made []weak.Pointer[[1000]int]
	alive, steps := 0, 0
	value := func() *[1000]int {
		v := new([1000]int)
		made = append(made, weak.Make(v))
		return v
	}
	Fold(Chain(numberedNames(100), "c"), nil, func(Name) *[1000]int { return value() }, func(_ ChannelSet, x, y *[1000]int) *[1000]int {
		if steps++; steps == 99 {
			runtime.GC()
			for _, p := range made {
				if p.Value() != nil {
					alive++
				}
			}
		}
		return value()
	})
	require.Equal(t, 99, steps)
	require.Less(t, alive, 10)
}

func TestLongSharedPartsStandOnce(t *testing.T) {
	names := numberedNames(100)
	line := Chain(names, "c")
	g := Overlay(line, Vertex("a"), line, Star("h", names, "d", "e"))
	require.Len(t, g.root.Form().Ops, len(line.root.Form().Ops)+9)
	want := modelOf(line).connect(ChannelSet{}, newModel("a", "h"))
	for _, name := range names {
		want.edges[triple{"h", name, "d"}] = true
		want.edges[triple{name, "h", "e"}] = true
	}
	require.Equal(t, want, modelOf(g))
	require.Equal(t, want.list(), g.Edges())
}

// The cost of an edge must not depend on how long an overlay it stands in.
func TestLongOverlays(t *testing.T) {
	n := 100_000
	names := numberedNames(n)
	var hops []Graph
	for i := 1; i < n; i++ {
		hops = append(hops, Connect(Channels("p."+strconv.Itoa(i)), Vertex(names[i-1]), Vertex(names[i])))
	}
	g := Overlay(hops...)
	require.Len(t, g.Edges(), n-1)
	require.True(t, g.Equal(Pipeline(names, "p")))
	slices.Reverse(hops)
	require.True(t, Overlay(hops...).Equal(g))
}

func TestGraphPrints(t *testing.T) {
	a, b, d := Vertex("a"), Vertex("b"), Vertex("d")
	c := Channels("c")
	for want, g := range map[string]Graph{
		`"a"`:                                     a,
		`"a" + "b"`:                               Vertices("a", "b"),
		`"b" + "a"`:                               Overlay(b, a),
		`"a" -["c"]-> "b"`:                        Connect(c, a, b),
		`"a" -["c" "d"]-> "b"`:                    Connect(Channels("d", "c"), a, b),
		`"a" -["c"]-> "b" -["c"]-> "d"`:           Chain([]Name{"a", "b", "d"}, "c"),
		`"a" -["c"]-> ("b" -["c"]-> "d")`:         Connect(c, a, Connect(c, b, d)),
		`("a" + "b") -["c"]-> "d"`:                Connect(c, Vertices("a", "b"), d),
		`("a" + "b") -["c"]-> ("a" + "b")`:        Bus([]Name{"a", "b"}, "c"),
		`"a" + "b" -["c"]-> "d"`:                  Overlay(a, Connect(c, b, d)),
		`"a" + ("b" + "d")`:                       Overlay(a, Overlay(b, d)),
		`"a" + "b" + "d"`:                         Overlay(a, b, d),
		`"a" -["p.1"]-> "b" + "b" -["p.2"]-> "d"`: Pipeline([]Name{"a", "b", "d"}, "p"),
		`"say \"x\"\n\u202e" -["\x00"]-> "ü"`:     Connect(Channels("\x00"), Vertex("say \"x\"\n\u202e"), Vertex("ü")),
	} {
		require.Equal(t, want, g.String())
	}
}

func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	names := numberedNames(2000)
	for _, text := range []string{
		Vertex(long).String(), Vertices(names...).String(), Bus(names, "c").String(), Chain(names, "c").String(),
		Channels(names...).String(), Channels(long).String(), Connect(Channels(names...), Vertex("a"), Vertex("b")).String(),
	} {
		require.Equal(t, shownRunes+1, utf8.RuneCountInString(text))
		require.True(t, strings.HasSuffix(text, "…"))
		require.True(t, utf8.ValidString(text))
	}
	exact := strings.Repeat("ü", shownRunes-2)
	require.Equal(t, `"`+exact+`"`, Vertex(exact).String())
	require.Equal(t, `"`+exact+`ü…`, Vertex(exact+"ü").String())
}

func TestChannelSetPrints(t *testing.T) {
	require.Equal(t, `[]`, ChannelSet{}.String())
	require.Equal(t, `["a" "b"]`, Channels("b", "a", "b").String())
	require.Equal(t, `["\n" "\""]`, Channels("\n", `"`).String())
}

func TestAVertexIsOneAllocation(t *testing.T) {
	require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { sink = Vertex("a") }))
	a, c := Vertex("a"), Channels("c")
	require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { sink = Connect(c, a, a) }))
}

var sink Graph

func numberedNames(n int) []Name {
	names := make([]Name, n)
	for i := range names {
		names[i] = "n" + strconv.Itoa(i)
	}
	return names
}
