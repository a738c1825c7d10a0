package agentgraph

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The laws of the algebra, each on random expressions: shallow and nested
// thousands of levels deep, with shared parts, and some of astronomic size.

func TestOverlayIsCommutative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawGraph(t, "x"), drawGraph(t, "y")
		requireSame(t, Overlay(x, y), Overlay(y, x))
	})
}

func TestOverlayIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		requireSame(t, Overlay(Overlay(x, y), z), Overlay(x, Overlay(y, z)))
		requireSame(t, Overlay(x, y, z), Overlay(x, Overlay(y, z)))
	})
}

func TestOverlayIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		requireSame(t, Overlay(x, x), x)
	})
}

func TestEmptyIsTheIdentityOfOverlay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		requireSame(t, Overlay(x, Empty()), x)
		requireSame(t, Overlay(Empty(), x), x)
		requireSame(t, Overlay(x), x)
	})
}

func TestOverlayIsConnectWithoutChannels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawGraph(t, "x"), drawGraph(t, "y")
		requireSame(t, Connect(Channels(), x, y), Overlay(x, y))
	})
}

func TestEmptyIsTheIdentityOfConnect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, x := drawChannels(t, "c"), drawGraph(t, "x")
		requireSame(t, Connect(c, x, Empty()), x)
		requireSame(t, Connect(c, Empty(), x), x)
	})
}

func TestConnectIsAssociativeForOneLabel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChannels(t, "c")
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		requireSame(t, Connect(c, Connect(c, x, y), z), Connect(c, x, Connect(c, y, z)))
	})
}

func TestConnectDistributesOverOverlayOnItsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChannels(t, "c")
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		requireSame(t, Connect(c, x, Overlay(y, z)), Overlay(Connect(c, x, y), Connect(c, x, z)))
	})
}

func TestConnectDistributesOverOverlayOnItsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChannels(t, "c")
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		requireSame(t, Connect(c, Overlay(x, y), z), Overlay(Connect(c, x, z), Connect(c, y, z)))
	})
}

func TestDecomposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, d := drawChannels(t, "c"), drawChannels(t, "d")
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		parts := Overlay(Connect(c, x, y), Connect(d, x, z), Connect(d, y, z))
		requireSame(t, Connect(d, Connect(c, x, y), z), parts)
		parts = Overlay(Connect(c, x, y), Connect(c, x, z), Connect(d, y, z))
		requireSame(t, Connect(c, x, Connect(d, y, z)), parts)
	})
}

func TestAbsorption(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, x, y := drawChannels(t, "c"), drawGraph(t, "x"), drawGraph(t, "y")
		requireSame(t, Overlay(Connect(c, x, y), x), Connect(c, x, y))
		requireSame(t, Overlay(Connect(c, x, y), y), Connect(c, x, y))
		requireSame(t, Overlay(Connect(c, x, y), x, y), Connect(c, x, y))
	})
}

func TestLabelsUnite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, d := drawChannels(t, "c"), drawChannels(t, "d")
		x, y := drawGraph(t, "x"), drawGraph(t, "y")
		requireSame(t, Overlay(Connect(c, x, y), Connect(d, x, y)), Connect(c.Union(d), x, y))
	})
}

func TestTransposeIsAnInvolution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		requireSame(t, x.Transpose().Transpose(), x)
	})
}

func TestTransposeSwapsTheSidesOfConnect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, x, y := drawChannels(t, "c"), drawGraph(t, "x"), drawGraph(t, "y")
		requireSame(t, Connect(c, x, y).Transpose(), Connect(c, y.Transpose(), x.Transpose()))
	})
}

func TestTransposeTurnsEveryEdge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		turned := x.Edges()
		for i, e := range turned {
			turned[i] = Edge{e.To, e.From, e.Channels}
		}
		slices.SortFunc(turned, func(a, b Edge) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
		})
		require.Equal(t, turned, x.Transpose().Edges())
	})
}

func TestFoldWithTheOperatorsIsTheGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		same := Fold(x, Empty(), Vertex, Connect)
		requireSame(t, same, x)
		require.Equal(t, x.Size(), same.Size())
	})
}

func TestAGraphIsTheOverlayOfItsVerticesAndEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		requireSame(t, x, overlayOf(x.Names(), x.Edges()))
	})
}

func TestIsSubgraphOfIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, z := drawGraph(t, "x"), drawGraph(t, "y"), drawGraph(t, "z")
		require.True(t, x.IsSubgraphOf(x))
		require.Equal(t, x.Equal(y), x.IsSubgraphOf(y) && y.IsSubgraphOf(x))
		require.True(t, x.IsSubgraphOf(Overlay(x, y)) && Overlay(x, y).IsSubgraphOf(Overlay(x, y, z)))
		require.True(t, Overlay(x, y).IsSubgraphOf(Connect(drawChannels(t, "c"), x, y)))
		require.Equal(t, Overlay(x, y).Equal(y), x.IsSubgraphOf(y))
	})
}

func TestInduceKeepsWhatItIsToldTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		kept := rapid.SliceOfDistinct(rapid.SampledFrom(someNames()), rapid.ID[string]).Draw(t, "kept")
		keep := func(name Name) bool { return slices.Contains(kept, name) }
		part := x.Induce(keep)
		require.True(t, part.IsSubgraphOf(x))
		requireSame(t, part.Induce(keep), part)
		requireSame(t, x.Induce(func(Name) bool { return true }), x)
		requireSame(t, x.Induce(func(Name) bool { return false }), Empty())
		requireSame(t, part.Transpose(), x.Transpose().Induce(keep))
	})
}

func TestRenameComposes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawGraph(t, "x")
		f, g := drawRenaming(t, "f"), drawRenaming(t, "g")
		requireSame(t, x.Rename(f).Rename(g), x.Rename(func(name Name) Name { return g(f(name)) }))
		requireSame(t, x.Rename(func(name Name) Name { return name }), x)
		require.Equal(t, x.Size(), x.Rename(f).Size())
	})
}

func TestBusIsConnectToOneself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := drawNames(t, "names")
		requireSame(t, Bus(names, "c"), Connect(Channels("c"), overlayOf(names, nil), overlayOf(names, nil)))
	})
}

func TestStarIsTheHubConnectedBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := drawNames(t, "leaves")
		around := overlayOf(leaves, nil)
		star := Overlay(Connect(Channels("c"), Vertex("a"), around), Connect(Channels("d"), around, Vertex("a")))
		requireSame(t, Star("a", leaves, "c", "d"), star)
	})
}

func TestChainIsConnectOfConnects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := drawNames(t, "names")
		var chain Graph
		for _, name := range names {
			chain = Connect(Channels("c"), chain, Vertex(name))
		}
		requireSame(t, Chain(names, "c"), chain)
		require.Equal(t, chain.Size(), Chain(names, "c").Size())
	})
}

func TestPipelineIsTheOverlayOfItsHops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := drawNames(t, "names")
		want := newModel(names...)
		for i := 1; i < len(names); i++ {
			want.edges[triple{names[i-1], names[i], "p." + string(rune('0'+i))}] = true
		}
		require.Equal(t, want, modelOf(Pipeline(names, "p")))
	})
}

// What the methods say, against a naive model that is built beside the graph.

func TestTheMethodsSayWhatTheModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawCase(t, "x")
		g, m := x.graph, x.model
		require.Equal(t, m.names(), g.Names())
		require.Equal(t, m.list(), g.Edges())
		require.Equal(t, len(m.vertices) == 0, g.IsEmpty())
		require.Equal(t, x.size, g.Size())
		for _, from := range someNames() {
			require.Equal(t, m.vertices[from], g.HasVertex(from))
			for _, to := range someNames() {
				require.Equal(t, m.label(from, to), g.Label(from, to))
			}
		}
	})
}

func TestFoldSaysWhatTheModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawCase(t, "x")
		require.Equal(t, x.model, modelOf(x.graph))
	})
}

func TestEqualAndIsSubgraphOfSayWhatTheModelsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawCase(t, "x"), drawCase(t, "y")
		if rapid.Bool().Draw(t, "near") {
			y = drawNear(t, x)
		}
		require.Equal(t, x.model.equal(y.model), x.graph.Equal(y.graph))
		require.Equal(t, y.model.equal(x.model), y.graph.Equal(x.graph))
		require.Equal(t, x.model.isSubOf(y.model), x.graph.IsSubgraphOf(y.graph))
		require.Equal(t, y.model.isSubOf(x.model), y.graph.IsSubgraphOf(x.graph))
	})
}

func TestTransposeInduceAndRenameDoWhatTheModelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawCase(t, "x")
		turned, part, renamed := newModel(x.model.names()...), newModel(), newModel()
		kept := drawNames(t, "kept")
		f := drawRenaming(t, "f")
		for name := range x.model.vertices {
			renamed.vertices[f(name)] = true
			if slices.Contains(kept, name) {
				part.vertices[name] = true
			}
		}
		for e := range x.model.edges {
			turned.edges[triple{e.to, e.from, e.ch}] = true
			renamed.edges[triple{f(e.from), f(e.to), e.ch}] = true
			if part.vertices[e.from] && part.vertices[e.to] {
				part.edges[e] = true
			}
		}
		require.Equal(t, turned, modelOf(x.graph.Transpose()))
		require.Equal(t, renamed, modelOf(x.graph.Rename(f)))
		require.Equal(t, part, modelOf(x.graph.Induce(func(name Name) bool { return slices.Contains(kept, name) })))
	})
}

// The laws of channel sets.

func TestChannelSetsAreAMonoid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawChannels(t, "a"), drawChannels(t, "b"), drawChannels(t, "c")
		require.Equal(t, a.Union(b), b.Union(a))
		require.Equal(t, a.Union(b).Union(c), a.Union(b.Union(c)))
		require.Equal(t, a, a.Union(a))
		require.Equal(t, a, a.Union(ChannelSet{}))
		require.Equal(t, a, ChannelSet{}.Union(a))
	})
}

func TestChannelSetsSayWhatMapsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom(someChannels()), 0, 6)
		a, b := names.Draw(t, "a"), names.Draw(t, "b")
		s, u := Channels(a...), Channels(b...)
		both := map[Channel]bool{}
		for _, ch := range slices.Concat(a, b) {
			both[ch] = true
		}
		want := slices.Sorted(maps.Keys(both))
		union := s.Union(u)
		require.Equal(t, want, slices.Collect(union.All()))
		require.Equal(t, len(want), union.Len())
		for _, ch := range someChannels() {
			require.Equal(t, both[ch], union.Contains(ch))
			require.Equal(t, slices.Contains(a, ch), s.Contains(ch))
		}
		require.Equal(t, slices.Equal(slices.Collect(s.All()), slices.Collect(u.All())), s.Equal(u))
		require.Equal(t, s.Union(u).Equal(u), s.names.IsSubsetOf(u.names))
	})
}

// requireSame checks that two graphs cannot be told apart.
func requireSame(t *rapid.T, x, y Graph) {
	t.Helper()
	require.True(t, x.Equal(y), "%v\n%v", x, y)
	require.True(t, y.Equal(x), "%v\n%v", x, y)
	require.True(t, x.IsSubgraphOf(y) && y.IsSubgraphOf(x))
	require.Equal(t, x.Names(), y.Names())
	require.Equal(t, x.Edges(), y.Edges())
}

// model is the naive graph: its vertices, and an edge for every channel.
type model struct {
	vertices map[Name]bool
	edges    map[triple]bool
}

type triple struct {
	from, to Name
	ch       Channel
}

func newModel(names ...Name) model {
	m := model{map[Name]bool{}, map[triple]bool{}}
	for _, name := range names {
		m.vertices[name] = true
	}
	return m
}

// modelOf folds a graph into a model.
func modelOf(g Graph) model {
	return Fold(g, newModel(), func(name Name) model { return newModel(name) },
		func(c ChannelSet, x, y model) model { return x.clone().connect(c, y) })
}

func (m model) clone() model { return model{maps.Clone(m.vertices), maps.Clone(m.edges)} }

// connect adds the other model to this one, on its right.
func (m model) connect(c ChannelSet, other model) model {
	for from := range maps.Clone(m.vertices) {
		for to := range other.vertices {
			for ch := range c.All() {
				m.edges[triple{from, to, ch}] = true
			}
		}
	}
	maps.Copy(m.vertices, other.vertices)
	maps.Copy(m.edges, other.edges)
	return m
}

func (m model) names() []Name { return slices.Sorted(maps.Keys(m.vertices)) }

func (m model) label(from, to Name) ChannelSet {
	var channels []Channel
	for e := range m.edges {
		if e.from == from && e.to == to {
			channels = append(channels, e.ch)
		}
	}
	return Channels(channels...)
}

func (m model) list() []Edge {
	var edges []Edge
	for _, from := range m.names() {
		for _, to := range m.names() {
			if c := m.label(from, to); c.Len() > 0 {
				edges = append(edges, Edge{from, to, c})
			}
		}
	}
	return edges
}

func (m model) equal(other model) bool {
	return maps.Equal(m.vertices, other.vertices) && maps.Equal(m.edges, other.edges)
}

func (m model) isSubOf(other model) bool {
	for name := range m.vertices {
		if !other.vertices[name] {
			return false
		}
	}
	for e := range m.edges {
		if !other.edges[e] {
			return false
		}
	}
	return true
}

// testCase is a graph, its model, and its size as a tree.
type testCase struct {
	graph Graph
	model model
	size  int
}

func emptyCase() testCase { return testCase{Empty(), newModel(), 0} }

func vertexCase(name Name) testCase { return testCase{Vertex(name), newModel(name), 1} }

func (x testCase) connect(c ChannelSet, y testCase) testCase {
	return testCase{Connect(c, x.graph, y.graph), x.model.clone().connect(c, y.model), sizeOf(x.size, y.size)}
}

// sizeOf adds sizes, up to the greatest.
func sizeOf(x, y int) int {
	if x+y < 0 {
		return math.MaxInt
	}
	return x + y
}

func drawGraph(t *rapid.T, label string) Graph { return drawCase(t, label).graph }

// drawCase builds an expression step by step; every step can use all the
// expressions before it, so parts are shared.
func drawCase(t *rapid.T, label string) testCase {
	made := []testCase{vertexCase("a"), vertexCase("b"), emptyCase()}
	part := func(label string) testCase { return rapid.SampledFrom(made).Draw(t, label) }
	for range rapid.IntRange(1, 8).Draw(t, label+" steps") {
		var x testCase
		switch rapid.SampledFrom(someSteps()).Draw(t, "step") {
		case "connect":
			x = made[len(made)-1].connect(drawChannels(t, "channels"), part("right"))
		case "connect any":
			x = part("left").connect(drawChannels(t, "channels"), part("right"))
		case "vertex":
			x = vertexCase(drawName(t, "name"))
		case "vertices":
			names := drawNames(t, "names")
			x = testCase{Vertices(names...), newModel(names...), len(names)}
		case "shape":
			x = drawShape(t)
		case "deep":
			x = drawDeep(t, part("core"))
		case "huge":
			x = drawHuge(t, part("left"), part("right"))
		}
		made = append(made, x)
	}
	return made[len(made)-1]
}

func someSteps() []string {
	return []string{"connect", "connect any", "vertex", "vertices", "shape", "connect", "deep", "huge", "connect any", "connect"}
}

func drawShape(t *rapid.T) testCase {
	names := drawNames(t, "names")
	all := newModel(names...)
	c, d := Channels("c"), Channels("d")
	switch rapid.IntRange(0, 2).Draw(t, "shape") {
	case 0:
		return testCase{Bus(names, "c"), all.clone().connect(c, all), 2 * len(names)}
	case 1:
		star := newModel("a").connect(c, all).connect(ChannelSet{}, all.clone().connect(d, newModel("a")))
		size := 1
		if len(names) > 0 {
			size = 2*len(names) + 2
		}
		return testCase{Star("a", names, "c", "d"), star, size}
	}
	chain := newModel()
	for _, name := range names {
		chain.connect(c, newModel(name))
	}
	return testCase{Chain(names, "c"), chain, len(names)}
}

// drawDeep nests a core some thousand levels deep, to the left, to the right or
// in zigzag.
func drawDeep(t *rapid.T, core testCase) testCase {
	x := testCase{core.graph, core.model.clone(), core.size}
	turn := rapid.IntRange(0, 2).Draw(t, "turn")
	names, labels := drawNames(t, "names"), []ChannelSet{drawChannels(t, "c"), drawChannels(t, "d")}
	if len(names) == 0 {
		names = []Name{"a"}
	}
	for i := range rapid.IntRange(1000, 3000).Draw(t, "depth") {
		v, c := vertexCase(names[i%len(names)]), labels[i/len(names)%2]
		x.size = sizeOf(x.size, 1)
		if turn == 0 || turn == 2 && i%2 == 0 {
			x.graph, x.model = Connect(c, x.graph, v.graph), x.model.connect(c, v.model)
		} else {
			x.graph, x.model = Connect(c, v.graph, x.graph), v.model.connect(c, x.model)
		}
	}
	return x
}

// drawHuge joins two graphs again and again, so that the whole is small in
// memory and too big to be walked as a tree.
func drawHuge(t *rapid.T, x, y testCase) testCase {
	if x.size == 0 || y.size == 0 {
		return x
	}
	c := drawChannels(t, "c")
	for range rapid.IntRange(34, 120).Draw(t, "times") {
		x, y = x.connect(c, y), x
	}
	return x
}

// drawNear is the same graph in other words, or one that differs a little.
func drawNear(t *rapid.T, x testCase) testCase {
	m := x.model.clone()
	if len(m.vertices) > 0 && rapid.Bool().Draw(t, "other") {
		e := triple{drawName(t, "from"), drawName(t, "to"), "c"}
		if m.edges[e] {
			delete(m.edges, e)
		} else {
			m.edges[e], m.vertices[e.from], m.vertices[e.to] = true, true, true
		}
	}
	return testCase{overlayOf(m.names(), m.list()), m, 0}
}

// overlayOf is the graph with these vertices and edges.
func overlayOf(names []Name, edges []Edge) Graph {
	var g Graph
	for _, name := range names {
		g = Overlay(g, Vertex(name))
	}
	for _, e := range edges {
		g = Overlay(g, Connect(e.Channels, Vertex(e.From), Vertex(e.To)))
	}
	return g
}

func someNames() []Name { return []Name{"a", "b", "c", "team/x", "ü", ""} }

func someChannels() []Channel { return []Channel{"c", "d", "e", ""} }

func drawName(t *rapid.T, label string) Name {
	return rapid.SampledFrom(someNames()).Draw(t, label)
}

func drawNames(t *rapid.T, label string) []Name {
	return rapid.SliceOfN(rapid.SampledFrom(someNames()), 0, 6).Draw(t, label)
}

func drawChannels(t *rapid.T, label string) ChannelSet {
	least := min(1, rapid.IntRange(0, 4).Draw(t, label+" some"))
	return Channels(rapid.SliceOfN(rapid.SampledFrom(someChannels()), least, 3).Draw(t, label)...)
}

func drawRenaming(t *rapid.T, label string) func(Name) Name {
	to := map[Name]Name{}
	for _, name := range someNames() {
		to[name] = drawName(t, label+" "+name)
	}
	return func(name Name) Name { return to[name] }
}
