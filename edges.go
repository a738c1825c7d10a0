package agentgraph

import "slices"

// Edge is an edge of a graph, with the channels of all that connects its ends.
type Edge struct {
	From, To Name
	Channels ChannelSet // at least one
}

// Edges returns the edges, sorted by From and To. It costs O(size log size) and
// the sum of left times right over the labelled Connects, which is what it
// shows; its memory is that of its result.
func (g Graph) Edges() []Edge {
	var edges []Edge
	names := g.Names()
	t := newTable(g.linear(), ranksOf(names))
	for from := range names {
		for _, c := range t.row(int32(from)) {
			edges = append(edges, Edge{names[from], names[c.to], c.label})
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
// costs O(size) where the expressions have one shape, O(size log size) where
// the vertices differ, and no more than Edges of both otherwise; it stops at
// the first vertex whose edges differ.
func (g Graph) Equal(h Graph) bool {
	if g.root == h.root {
		return true
	}
	mine, theirs := g.linear(), h.linear()
	if mine.isLike(theirs) {
		return true
	}
	names := g.Names()
	if !slices.Equal(names, h.Names()) {
		return false
	}
	ranks := ranksOf(names)
	s, t := newTable(mine, ranks), newTable(theirs, ranks)
	for from := range int32(len(names)) {
		if !slices.EqualFunc(s.row(from), t.row(from), cell.equal) {
			return false
		}
	}
	return true
}

// IsSubgraphOf says whether h has all vertices and all labels of g: whether the
// overlay of both is h. It costs what Equal does.
func (g Graph) IsSubgraphOf(h Graph) bool {
	if g.root == h.root {
		return true
	}
	mine, theirs := g.linear(), h.linear()
	if mine.isLike(theirs) {
		return true
	}
	ranks := ranksOf(h.Names())
	names := g.Names()
	for _, name := range names {
		if _, found := ranks[name]; !found {
			return false
		}
	}
	s, t := newTable(mine, ranks), newTable(theirs, ranks)
	for _, name := range names {
		if from := ranks[name]; !isSubrow(s.row(from), t.row(from)) {
			return false
		}
	}
	return true
}

func isSubrow(s, t []cell) bool {
	for _, c := range s {
		at, found := slices.BinarySearchFunc(t, c, cell.compare)
		if !found || !c.label.isSubsetOf(t[at].label) {
			return false
		}
		t = t[at+1:]
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
