package agentgraph

import "slices"

// Edge is an edge of a graph, with the channels of all that connects its ends.
type Edge struct {
	From, To Name
	Channels ChannelSet // at least one
}

// Edges returns the edges, sorted by From and To. It costs O(size log size) and
// the sum of left times right over the labelled Connects, which is what it
// shows, and O(size) memory beside its result.
func (g Graph) Edges() []Edge {
	f := g.linear()
	connects := f.connects()
	if connects == 0 {
		return nil
	}
	names := g.Names()
	t := newTable(f, ranksOf(names))
	edges := make([]Edge, 0, connects)
	for from, name := range names {
		for _, to := range t.row(int32(from)) {
			edges = append(edges, Edge{name, names[to], t.channels(to)})
		}
	}
	return edges
}

// Label returns the channels of the edge from one vertex to the other, none
// where there is no edge, in O(size).
func (g Graph) Label(from, to Name) ChannelSet {
	f := g.linear()
	hasFrom, hasTo := make([]bool, len(f.ops)), make([]bool, len(f.ops))
	var labels []ChannelSet
	for i, o := range f.ops {
		if o.isLeaf() {
			hasFrom[i], hasTo[i] = slices.Contains(f.names(o), from), slices.Contains(f.names(o), to)
			continue
		}
		hasFrom[i] = hasFrom[o.left] || hasFrom[o.right]
		hasTo[i] = hasTo[o.left] || hasTo[o.right]
		if hasFrom[o.left] && hasTo[o.right] {
			labels = append(labels, f.label(o))
		}
	}
	return unionOf(labels)
}

// Equal says whether both graphs have the same vertices and the same labels. It
// costs O(size) where both are built alike, O(size log size) where the vertices
// differ, and otherwise what Edges of both costs up to the first vertex whose
// edges differ.
func (g Graph) Equal(h Graph) bool {
	if g.root == h.root {
		return true
	}
	mine, theirs := g.linear(), h.linear()
	if mine.isLike(theirs) {
		return true
	}
	ranks := ranksOf(g.Names())
	t := newTable(theirs, ranks)
	if t == nil || !t.hasAll() {
		return false
	}
	s := newTable(mine, ranks)
	for from := range int32(len(ranks)) {
		if !s.sameRow(t, from) {
			return false
		}
	}
	return true
}

// IsSubgraphOf says whether h has all the vertices and all the labels of g, so
// that the overlay of both is h. It costs what Equal costs.
func (g Graph) IsSubgraphOf(h Graph) bool {
	if g.root == h.root {
		return true
	}
	mine, theirs := g.linear(), h.linear()
	if mine.isLike(theirs) {
		return true
	}
	ranks := ranksOf(h.Names())
	s := newTable(mine, ranks)
	if s == nil {
		return false
	}
	t := newTable(theirs, ranks)
	for from := range int32(len(ranks)) {
		if !s.isSubrow(t, from) {
			return false
		}
	}
	return true
}

// hasAll says whether all ranked names are vertices.
func (t *table) hasAll() bool {
	for v := range int32(len(t.newest)) {
		if len(t.leaves.of(v)) == 0 {
			return false
		}
	}
	return true
}

func (t *table) sameRow(other *table, from int32) bool {
	if !slices.Equal(t.row(from), other.row(from)) {
		return false
	}
	for _, to := range t.ends {
		if !t.channels(to).Equal(other.channels(to)) {
			return false
		}
	}
	return true
}

func (t *table) isSubrow(other *table, from int32) bool {
	ends := t.row(from)
	if len(ends) == 0 {
		return true
	}
	other.row(from)
	for _, to := range ends {
		if !other.has(to) || !t.channels(to).isSubsetOf(other.channels(to)) {
			return false
		}
	}
	return true
}

// isLike says whether two expressions have one shape, whatever they share. It
// gives up, which is false, where that would take more than O(size).
func (f form) isLike(g form) bool {
	if len(f.ops) == 0 || len(g.ops) == 0 {
		return len(f.ops) == len(g.ops)
	}
	type pair struct{ f, g int32 }
	todo := []pair{{int32(len(f.ops) - 1), int32(len(g.ops) - 1)}}
	like := make([]int32, len(f.ops)) // 1 + the node that was last compared with it, or 0
	for range 2 * (len(f.ops) + len(g.ops)) {
		if len(todo) == 0 {
			return true
		}
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if like[p.f] == p.g+1 {
			continue
		}
		like[p.f] = p.g + 1
		o, q := f.ops[p.f], g.ops[p.g]
		if o.isLeaf() != q.isLeaf() || !slices.Equal(f.words[o.from:o.to], g.words[q.from:q.to]) {
			return false
		}
		if !o.isLeaf() {
			todo = append(todo, pair{o.left, q.left}, pair{o.right, q.right})
		}
	}
	return false
}
