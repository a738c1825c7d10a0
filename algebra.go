package agentgraph

import "slices"

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

// Empty is the graph without vertices, and the identity of Overlay and Connect.
func Empty() Graph { return Graph{} }

// Vertex is the graph of one vertex and no edge.
func Vertex(name Name) Graph {
	single := &struct {
		expr
		name [1]Name
	}{name: [1]Name{name}}
	single.expr = leafOf(single.name[:])
	return Graph{&single.expr}
}

// Vertices is the overlay of vertices, none for no names. It copies the names.
func Vertices(names ...Name) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	e := leafOf(slices.Clone(names))
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
	return Graph{joined(channels, left.root, right.root)}
}

// Fold interprets the expression: vertices by vertex, Connect by connect, and
// Overlay by connect without channels; the empty graph is empty. A graph is its
// own fold with Empty, Vertex and Connect. Both functions should depend on
// their arguments alone, for a shared part may be folded once for all its uses.
// It calls them O(size) times; a result is let go after its last use.
func Fold[T any](g Graph, empty T, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	f := g.linear()
	if len(f.ops) == 0 {
		return empty
	}
	var none T
	results, last := make([]T, len(f.ops)), f.lastUses()
	for i, o := range f.ops {
		if o.isLeaf() {
			results[i] = foldLeaf(f.names(o), vertex, connect)
			continue
		}
		results[i] = connect(f.label(o), results[o.left], results[o.right])
		for _, side := range [...]int32{o.left, o.right} {
			if last[side] == int32(i) {
				results[side] = none
			}
		}
	}
	return results[len(results)-1]
}

func foldLeaf[T any](names []Name, vertex func(Name) T, connect func(ChannelSet, T, T) T) T {
	result := vertex(names[0])
	for _, name := range names[1:] {
		result = connect(ChannelSet{}, result, vertex(name))
	}
	return result
}

// lastUses says for every node which one uses it last.
func (f form) lastUses() []int32 {
	last := make([]int32, len(f.ops))
	for i, o := range f.ops {
		if !o.isLeaf() {
			last[o.left], last[o.right] = int32(i), int32(i)
		}
	}
	return last
}

// Names returns the vertices, sorted, in O(size log size).
func (g Graph) Names() []Name {
	names := g.linear().vertices()
	slices.Sort(names)
	return slices.Clip(slices.Compact(names))
}

// IsEmpty says whether the graph has no vertex, in O(1).
func (g Graph) IsEmpty() bool { return g.root == nil }

// HasVertex says whether the graph has the vertex, in O(size).
func (g Graph) HasVertex(name Name) bool {
	f := g.linear()
	return slices.ContainsFunc(f.ops, func(o op) bool {
		return o.isLeaf() && slices.Contains(f.names(o), name)
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
	f := g.linear()
	f.ops = slices.Clone(f.ops)
	for i := range f.ops {
		if o := &f.ops[i]; !o.isEmpty() {
			o.left, o.right = o.right, o.left
		}
	}
	return Graph{exprOf(f, g.Size())}
}

// Rename returns the graph with every vertex renamed by f, in O(size). Vertices
// that get one name become one, with the edges of all of them. It asks f once
// for each vertex that stands in the expression.
func (g Graph) Rename(f func(Name) Name) Graph {
	old := g.linear()
	renamed := form{old.ops, slices.Clone(old.words)}
	for _, o := range old.ops {
		if o.isLeaf() {
			for i, name := range old.names(o) {
				renamed.words[int(o.from)+i] = f(name)
			}
		}
	}
	return Graph{exprOf(renamed, g.Size())}
}

// Induce returns the part of the graph whose vertices keep accepts, and the
// edges between them, in O(size). It asks keep once for each vertex that stands
// in the expression.
func (g Graph) Induce(keep func(Name) bool) Graph {
	var part builder
	all := g.linear()
	places := make([]int32, len(all.ops)) // in part
	for i, o := range all.ops {
		if o.isLeaf() {
			places[i] = part.leafOf(all.names(o), keep)
		} else {
			places[i] = part.joinOf(all.label(o), places[o.left], places[o.right])
		}
	}
	return Graph{exprOf(part.form, part.size())}
}

// nowhere is the place of what is empty.
const nowhere = -1

func (b *builder) leafOf(names []Name, keep func(Name) bool) int32 {
	from := len(b.words)
	for _, name := range names {
		if keep(name) {
			b.put(name)
		}
	}
	if len(b.words) == from {
		return nowhere
	}
	return b.leaf(span{int32(from), int32(len(b.words))})
}

func (b *builder) joinOf(label ChannelSet, left, right int32) int32 {
	if left == nowhere {
		return right
	}
	if right == nowhere {
		return left
	}
	return b.join(b.labelled(label.names), left, right)
}
