package agentgraph

import "slices"

// table gives the edges of a graph row by row, a row being what leaves one
// vertex. Vertices are numbered by rank, so rows and cells come in order of
// name. A row is a walk: up from the leaves that hold its vertex to every
// Connect that has one of them on its left, and from there down to the vertices
// on its right. The table takes O(size) memory, and a row takes the time of its
// edges, counted as often as the expression makes them.
type table struct {
	ops      []op
	vertices [][]int32 // of a node: the vertices of a leaf
	leaves   [][]int32 // of a vertex: the leaves that hold it
	up       [][]link  // of a node: where the walk up goes on

	seen, joined, under marks // nodes: passed on the way up, joined by, passed on the way down
	todo                []int32
	first               []int32 // of a vertex: 1 + its newest entry in this row, or 0
	entries             []entry
	cells               []cell
}

// link leads up to a node. It joins when it comes from the left of a Connect
// with channels.
type link struct {
	node  int32
	joins bool
}

// entry is one Connect's label for a vertex, and 1 + the entry before it, or 0.
type entry struct{ connect, next int32 }

// cell is an edge in a row.
type cell struct {
	to    int32
	label ChannelSet
}

func (c cell) equal(d cell) bool  { return c.to == d.to && c.label.Equal(d.label) }
func (c cell) compare(d cell) int { return int(c.to) - int(d.to) }

// ranksOf numbers sorted names.
func ranksOf(names []Name) map[Name]int32 {
	ranks := make(map[Name]int32, len(names))
	for i, name := range names {
		ranks[name] = int32(i)
	}
	return ranks
}

// newTable makes the table of a graph all of whose vertices are ranked.
func newTable(g Graph, ranks map[Name]int32) *table {
	ops := g.linear()
	vertices := verticesOf(ops, ranks)
	return &table{
		ops:      ops,
		vertices: vertices,
		leaves:   inverse(vertices, len(ranks)),
		up:       links(ops),
		seen:     newMarks(len(ops)),
		joined:   newMarks(len(ops)),
		under:    newMarks(len(ops)),
		first:    make([]int32, len(ranks)),
	}
}

// row returns the edges that leave a vertex, in order. It is good until the
// next row.
func (t *table) row(from int32) []cell {
	connects := t.connects(from)
	slices.SortFunc(connects, func(a, b int32) int {
		return t.ops[a].label.compare(t.ops[b].label)
	})
	t.entries, t.cells = t.entries[:0], t.cells[:0]
	var same int32 // the first Connect with this label
	for i, c := range connects {
		if i == 0 || t.ops[same].label.compare(t.ops[c].label) != 0 {
			t.under.clear()
			same = c
		}
		t.descend(t.ops[c].right, same)
	}
	slices.SortFunc(t.cells, cell.compare)
	for i := range t.cells {
		c := &t.cells[i]
		c.label = t.union(t.first[c.to])
		t.first[c.to] = 0
	}
	return t.cells
}

// connects returns the labelled Connects that have the vertex on their left.
func (t *table) connects(of int32) []int32 {
	t.seen.clear()
	t.joined.clear()
	var connects []int32
	todo := append(t.todo[:0], t.leaves[of]...)
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, l := range t.up[node] {
			if l.joins && t.joined.add(l.node) {
				connects = append(connects, l.node)
			}
			if t.seen.add(l.node) {
				todo = append(todo, l.node)
			}
		}
	}
	t.todo = todo
	return connects
}

// descend enters the label of a Connect for all the vertices under a node.
func (t *table) descend(node, connect int32) {
	todo := append(t.todo[:0], node)
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !t.under.add(node) {
			continue
		}
		if o := t.ops[node]; !o.isLeaf() {
			todo = append(todo, o.right, o.left)
			continue
		}
		for _, v := range t.vertices[node] {
			t.enter(v, connect)
		}
	}
	t.todo = todo
}

func (t *table) enter(vertex, connect int32) {
	first := t.first[vertex]
	if first == 0 {
		t.cells = append(t.cells, cell{to: vertex})
	} else if t.entries[first-1].connect == connect {
		return
	}
	t.entries = append(t.entries, entry{connect, first})
	t.first[vertex] = int32(len(t.entries))
}

// union unites the labels of some entries.
func (t *table) union(first int32) ChannelSet {
	e := t.entries[first-1]
	if e.next == 0 {
		return t.ops[e.connect].label
	}
	labels := []ChannelSet{t.ops[e.connect].label}
	for e.next != 0 {
		e = t.entries[e.next-1]
		labels = append(labels, t.ops[e.connect].label)
	}
	return unionOf(labels)
}

func verticesOf(ops []op, ranks map[Name]int32) [][]int32 {
	total := 0
	for _, o := range ops {
		total += len(o.names)
	}
	flat := make([]int32, 0, total)
	lists := make([][]int32, len(ops))
	for i, o := range ops {
		start := len(flat)
		for _, name := range o.names {
			flat = append(flat, ranks[name])
		}
		lists[i] = flat[start:]
	}
	return lists
}

// inverse says for each of n items which lists it is in.
func inverse(lists [][]int32, n int) [][]int32 {
	counts := make([]int, n)
	for _, list := range lists {
		for _, item := range list {
			counts[item]++
		}
	}
	in := carve[int32](counts)
	for i, list := range lists {
		for _, item := range list {
			in[item] = append(in[item], int32(i))
		}
	}
	return in
}

// links leads the walk up past all nodes that join nothing, unless ways part
// there: a walk over the spine of a long overlay would cost more than its edges.
func links(ops []op) [][]link {
	counts := make([]int, len(ops))
	for _, o := range ops {
		if !o.isLeaf() {
			counts[o.left]++
			counts[o.right]++
		}
	}
	up := carve[link](counts)
	add := func(node int32, l link) {
		if n := len(up[node]); n == 0 || up[node][n-1] != l {
			up[node] = append(up[node], l)
		}
	}
	for i := len(ops) - 1; i >= 0; i-- {
		o := ops[i]
		if o.isLeaf() {
			continue
		}
		if o.label.Len() > 0 {
			add(o.left, link{int32(i), true})
		}
		for _, side := range [...]int32{o.left, o.right} {
			if side == o.left && o.label.Len() > 0 {
				continue // the link that joins goes on from here
			}
			switch len(up[i]) {
			case 0:
			case 1:
				add(side, up[i][0])
			default:
				add(side, link{node: int32(i)})
			}
		}
	}
	return up
}

// carve returns empty lists with the given capacities, all in one piece.
func carve[T any](capacities []int) [][]T {
	total := 0
	for _, n := range capacities {
		total += n
	}
	flat := make([]T, total)
	lists := make([][]T, len(capacities))
	for i, n := range capacities {
		lists[i], flat = flat[:0:n], flat[n:]
	}
	return lists
}

// marks is a set of numbers that is cleared at no cost.
type marks struct {
	at  []uint32
	now uint32
}

func newMarks(n int) marks { return marks{at: make([]uint32, n), now: 1} }

func (m *marks) clear() {
	if m.now++; m.now == 0 {
		clear(m.at)
		m.now = 1
	}
}

// add is false where i is in the set already.
func (m *marks) add(i int32) bool {
	if m.at[i] == m.now {
		return false
	}
	m.at[i] = m.now
	return true
}
