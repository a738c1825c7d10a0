package agentgraph

import "github.com/seed-a2b66b4f/agentgraph/internal/expr"

// Graph is an expression of the algebra of graphs whose edges carry sets of
// channels: it is empty, a vertex, or two graphs joined by [Overlay] or
// [Connect]. It is immutable and safe for concurrent use, and its zero value is
// the empty graph. Every operator costs O(1): what it is given is shared, never
// copied. No method recurses on the depth of the expression, and what an
// expression shares within itself is worked on once where the whole, counted
// as a tree, is too big to be walked.
type Graph struct {
	root *expr.Term // nil for the empty graph
}

// Empty is the graph without vertices, and the identity of Overlay and Connect.
func Empty() Graph { return Graph{} }

// Vertex is the graph of one vertex and no edge.
func Vertex(name Name) Graph { return Graph{expr.Vertex(name)} }

// Vertices is the overlay of vertices, none for no names. It copies the names.
func Vertices(names ...Name) Graph { return Graph{expr.Vertices(names)} }

// Overlay is the graph with the vertices and edges of all the given ones. It is
// commutative, associative and idempotent, and Empty is its identity. It costs
// O(1) for each graph.
func Overlay(graphs ...Graph) Graph {
	var all Graph
	for _, g := range graphs {
		all = Connect(ChannelSet{}, all, g)
	}
	return all
}

// Connect is the overlay of both graphs with an edge from every vertex on the
// left to every vertex on the right, labelled with the channels. Edges that
// meet unite their labels. Empty is its identity on both sides; it is
// associative for one label, distributes over Overlay, and without channels it
// is Overlay. It costs O(1).
func Connect(channels ChannelSet, left, right Graph) Graph {
	return Graph{expr.Connect(channels.names, left.root, right.root)}
}

// Fold interprets the expression: vertices by vertex, Connect by connect, and
// Overlay by connect without channels; the empty graph is empty. A graph is its
// own fold with Empty, Vertex and Connect. Both functions should depend on
// their arguments alone, for a shared part may be folded once for all its uses.
// It calls them O(size) times; a result is let go after its last use.
func Fold[T any](g Graph, empty T, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	return expr.Fold(g.root.Form(), empty, vertex, func(label expr.Set, left, right T) T {
		return connect(ChannelSet{label}, left, right)
	})
}

// Names returns the vertices, sorted, in O(size log size).
func (g Graph) Names() []Name { return g.root.Form().Names() }

// IsEmpty says whether the graph has no vertex, in O(1).
func (g Graph) IsEmpty() bool { return g.root == nil }

// HasVertex says whether the graph has the vertex, in O(size).
func (g Graph) HasVertex(name Name) bool { return g.root.Form().Has(name) }

// Size returns the number of vertices in the expression, each as often as it
// stands there, or math.MaxInt where that is too small, in O(1).
func (g Graph) Size() int { return g.root.Size() }

// Transpose turns every edge around, in O(size): it swaps the sides of every
// Connect. It is its own inverse.
func (g Graph) Transpose() Graph { return Graph{g.root.Transpose()} }

// Rename returns the graph with every vertex renamed by f, in O(size). Vertices
// that get one name become one, with the edges of all of them. It asks f once
// for each vertex that stands in the expression.
func (g Graph) Rename(f func(Name) Name) Graph { return Graph{g.root.Rename(f)} }

// Induce returns the part of the graph whose vertices keep accepts, and the
// edges between them, in O(size). It asks keep once for each vertex that stands
// in the expression.
func (g Graph) Induce(keep func(Name) bool) Graph { return Graph{g.root.Induce(keep)} }

// String returns the expression: quoted names, + for Overlay, and -["c"]-> for
// Connect, which binds tighter; both group to the left. It shows 1,000
// characters at most, and an ellipsis for the rest.
func (g Graph) String() string { return g.root.Form().String() }
