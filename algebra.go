package agentgraph

import (
	"math"
	"slices"
)

// Graph is an expression of the algebra of graphs whose edges carry sets of
// channels: it is empty, a vertex, or two graphs joined by [Overlay] or
// [Connect]. It is immutable and safe for concurrent use, and its zero value is
// the empty graph. Every operator costs O(1): what it is given is shared, never
// copied. No method recurses on the depth of the expression, and what an
// expression shares within itself is worked on once where the whole, counted
// as a tree, is too big to be walked.
type Graph struct {
	root *expr // nil for the empty graph
}

// expr is a node of an expression: a leaf, which is the overlay of some
// vertices, or two sides and the label that connects them. No side is empty, so
// every label shows on some edge.
type expr struct {
	names       []Name     // of a leaf, at least one
	label       ChannelSet // of two sides; the empty set overlays them
	left, right *expr      // nil in a leaf
	size        int        // vertices, counted as a tree; math.MaxInt if more
	nodes       int        // nodes, counted in the same way
}

// Empty is the graph without vertices, and the identity of Overlay and Connect.
func Empty() Graph { return Graph{} }

// Vertex is the graph of one vertex and no edge.
func Vertex(name Name) Graph {
	single := &struct {
		expr
		name [1]Name
	}{name: [1]Name{name}}
	single.expr = leaf(single.name[:])
	return Graph{&single.expr}
}

// Vertices is the overlay of vertices, none for no names. It copies the names.
func Vertices(names ...Name) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	e := leaf(slices.Clone(names))
	return Graph{&e}
}

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
	if left.root == nil {
		return right
	}
	if right.root == nil {
		return left
	}
	e := join(channels, left.root, right.root)
	return Graph{&e}
}

// Fold interprets the expression: vertices by vertex, Connect by connect, and
// Overlay by connect without channels; the empty graph is empty. A graph is its
// own fold with Empty, Vertex and Connect. Both functions should depend on
// their arguments alone, for a shared part may be folded once for all its uses.
// It calls them O(size) times, the sides of a node before it, left before
// right; a result is let go after its last use.
func Fold[T any](g Graph, empty T, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	ops := g.linear()
	if len(ops) == 0 {
		return empty
	}
	var none T
	results, last := make([]T, len(ops)), lastUses(ops)
	for i, o := range ops {
		if o.isLeaf() {
			results[i] = foldLeaf(o.names, vertex, connect)
			continue
		}
		results[i] = connect(o.label, results[o.left], results[o.right])
		for _, side := range [...]int32{o.left, o.right} {
			if last[side] == int32(i) {
				results[side] = none
			}
		}
	}
	return results[len(ops)-1]
}

func foldLeaf[T any](names []Name, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	result := vertex(names[0])
	for _, name := range names[1:] {
		result = connect(ChannelSet{}, result, vertex(name))
	}
	return result
}

// lastUses says for every node which one uses it last.
func lastUses(ops []op) []int32 {
	last := make([]int32, len(ops))
	for i, o := range ops {
		if !o.isLeaf() {
			last[o.left], last[o.right] = int32(i), int32(i)
		}
	}
	return last
}

// Names returns the vertices, sorted, in O(size log size).
func (g Graph) Names() []Name {
	var names []Name
	for _, o := range g.linear() {
		names = append(names, o.names...)
	}
	slices.Sort(names)
	return slices.Clip(slices.Compact(names))
}

// IsEmpty says whether the graph has no vertex, in O(1).
func (g Graph) IsEmpty() bool { return g.root == nil }

// HasVertex says whether the graph has the vertex, in O(size).
func (g Graph) HasVertex(name Name) bool {
	return slices.ContainsFunc(g.linear(), func(o op) bool {
		return slices.Contains(o.names, name)
	})
}

// Size returns the number of vertices in the expression, each as often as it
// stands there, or math.MaxInt where that is too small, in O(1).
func (g Graph) Size() int {
	if g.root == nil {
		return 0
	}
	return g.root.size
}

// Transpose turns every edge around, in O(size): it swaps the sides of every
// Connect. It is its own inverse.
func (g Graph) Transpose() Graph {
	return g.rebuild(
		func(e *expr) *expr { return e },
		func(label ChannelSet, left, right *expr) *expr {
			if label.Len() == 0 {
				return connect(label, left, right)
			}
			return connect(label, right, left)
		})
}

// Induce returns the part of the graph whose vertices keep accepts, and the
// edges between them, in O(size). It asks once for each vertex of the
// expression.
func (g Graph) Induce(keep func(Name) bool) Graph {
	drop := func(name Name) bool { return !keep(name) }
	return g.rebuild(func(e *expr) *expr {
		return leafOf(slices.DeleteFunc(slices.Clone(e.names), drop))
	}, connect)
}

// Rename returns the graph with every vertex renamed by f, in O(size). Vertices
// that get one name become one, with the edges of all of them. It asks once for
// each vertex of the expression.
func (g Graph) Rename(f func(Name) Name) Graph {
	return g.rebuild(func(e *expr) *expr {
		names := make([]Name, len(e.names))
		for i, name := range e.names {
			names[i] = f(name)
		}
		return leafOf(names)
	}, connect)
}

// rebuild makes an expression of the same shape. Nil stands for an empty graph.
func (g Graph) rebuild(leaf func(*expr) *expr, connect func(label ChannelSet, left, right *expr) *expr) Graph {
	ops := g.linear()
	if len(ops) == 0 {
		return g
	}
	built := make([]*expr, len(ops))
	for i, o := range ops {
		if o.isLeaf() {
			built[i] = leaf(o.expr)
		} else {
			built[i] = connect(o.label, built[o.left], built[o.right])
		}
	}
	return Graph{built[len(built)-1]}
}

func connect(label ChannelSet, left, right *expr) *expr {
	return Connect(label, Graph{left}, Graph{right}).root
}

func leafOf(names []Name) *expr {
	if len(names) == 0 {
		return nil
	}
	e := leaf(names)
	return &e
}

func leaf(names []Name) expr {
	return expr{names: names, size: len(names), nodes: 1}
}

func join(label ChannelSet, left, right *expr) expr {
	return expr{
		label: label, left: left, right: right,
		size:  add(left.size, right.size),
		nodes: add(add(left.nodes, right.nodes), 1),
	}
}

// add stops at math.MaxInt.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func (e *expr) isLeaf() bool { return e.left == nil }
