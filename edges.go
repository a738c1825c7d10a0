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
	t := newTable(g, ranksOf(names))
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
	ops := g.linear()
	hasFrom, hasTo := make([]bool, len(ops)), make([]bool, len(ops))
	var labels []ChannelSet
	for i, o := range ops {
		if o.isLeaf() {
			hasFrom[i], hasTo[i] = slices.Contains(o.names, from), slices.Contains(o.names, to)
			continue
		}
		hasFrom[i] = hasFrom[o.left] || hasFrom[o.right]
		hasTo[i] = hasTo[o.left] || hasTo[o.right]
		if hasFrom[o.left] && hasTo[o.right] {
			labels = append(labels, o.label)
		}
	}
	return unionOf(labels)
}

// Equal says whether both graphs have the same vertices and the same labels. It
// costs O(size) where the expressions have one shape, O(size log size) where
// the vertices differ, and no more than Edges of both otherwise; it stops at
// the first vertex whose edges differ.
func (g Graph) Equal(h Graph) bool {
	if alike(g.root, h.root) {
		return true
	}
	names := g.Names()
	if !slices.Equal(names, h.Names()) {
		return false
	}
	ranks := ranksOf(names)
	t, u := newTable(g, ranks), newTable(h, ranks)
	for from := range int32(len(names)) {
		if !slices.EqualFunc(t.row(from), u.row(from), cell.equal) {
			return false
		}
	}
	return true
}

// IsSubgraphOf says whether h has all vertices and all labels of g: whether the
// overlay of both is h. It costs what Equal does.
func (g Graph) IsSubgraphOf(h Graph) bool {
	if alike(g.root, h.root) {
		return true
	}
	names := h.Names()
	ranks := ranksOf(names)
	mine := g.Names()
	for _, name := range mine {
		if _, found := ranks[name]; !found {
			return false
		}
	}
	t, u := newTable(g, ranks), newTable(h, ranks)
	for _, name := range mine {
		if !isSubrow(t.row(ranks[name]), u.row(ranks[name])) {
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

// alike says whether two expressions have one shape.
func alike(a, b *expr) bool {
	type pair struct{ a, b *expr }
	var seen map[pair]bool // of an expression that is too big to be walked as a tree
	if a != nil && a.nodes > walkLimit {
		seen = map[pair]bool{}
	}
	todo := []pair{{a, b}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a, b := p.a, p.b
		if a == b || seen[p] {
			continue
		}
		if a == nil || b == nil || a.nodes != b.nodes || !a.label.Equal(b.label) || !slices.Equal(a.names, b.names) {
			return false
		}
		if a.isLeaf() {
			continue
		}
		if seen != nil && a.size >= sharedSize {
			seen[p] = true
		}
		todo = append(todo, pair{a.left, b.left})
		if a.left != a.right || b.left != b.right {
			todo = append(todo, pair{a.right, b.right})
		}
	}
	return true
}
