package agentgraph

import "slices"

// table gives the edges of a graph row by row, a row being what leaves one
// vertex. Vertices are numbered by rank, so rows and cells come in order of
// name. A row is a walk: up from the leaves that hold its vertex to every
// Connect that has one of them on its left, and from there down to the vertices
// on its right. The table takes O(size) memory, and a row takes the time of its
// edges, counted as often as the expression makes them.
type table struct {
	form
	ranks  []int32   // of every word that is a vertex
	leaves [][]int32 // of a vertex: the leaves that hold it
	up     [][]link  // of a node: where the walk up goes on

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

// newTable makes the table of a form all of whose vertices are ranked.
func newTable(f form, ranks map[Name]int32) *table {
	t := &table{
		form:   f,
		ranks:  make([]int32, len(f.words)),
		up:     f.links(),
		seen:   newMarks(len(f.ops)),
		joined: newMarks(len(f.ops)),
		under:  newMarks(len(f.ops)),
		first:  make([]int32, len(ranks)),
	}
	for _, o := range f.ops {
		if o.isLeaf() {
			for i, name := range f.names(o) {
				t.ranks[int(o.from)+i] = ranks[name]
			}
		}
	}
	t.leaves = t.findLeaves(len(ranks))
	return t
}

// vertices returns the vertices of a leaf.
func (t *table) vertices(leaf op) []int32 { return t.ranks[leaf.from:leaf.to] }

func (t *table) findLeaves(vertices int) [][]int32 {
	counts := make([]int, vertices)
	for _, o := range t.ops {
		if o.isLeaf() {
			for _, v := range t.vertices(o) {
				counts[v]++
			}
		}
	}
	leaves := carve[int32](counts)
	for i, o := range t.ops {
		if o.isLeaf() {
			for _, v := range t.vertices(o) {
				leaves[v] = append(leaves[v], int32(i))
			}
		}
	}
	return leaves
}

// row returns the edges that leave a vertex, in order. It is good until the
// next row.
func (t *table) row(from int32) []cell {
	connects := t.connects(from)
	slices.SortFunc(connects, func(a, b int32) int {
		return t.labelAt(a).compare(t.labelAt(b))
	})
	t.entries, t.cells = t.entries[:0], t.cells[:0]
	var same int32 // the first Connect with this label
	for i, c := range connects {
		if i == 0 || !t.labelAt(same).Equal(t.labelAt(c)) {
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

func (t *table) labelAt(connect int32) ChannelSet { return t.label(t.ops[connect]) }

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
		o := t.ops[node]
		if !o.isLeaf() {
			todo = append(todo, o.right, o.left)
			continue
		}
		for _, v := range t.vertices(o) {
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
		return t.labelAt(e.connect)
	}
	labels := []ChannelSet{t.labelAt(e.connect)}
	for e.next != 0 {
		e = t.entries[e.next-1]
		labels = append(labels, t.labelAt(e.connect))
	}
	return unionOf(labels)
}

// links leads the walk up past all nodes that join nothing, unless ways part
// there: a walk over the spine of a long overlay would cost more than its edges.
func (f form) links() [][]link {
	up := carve[link](f.uses())
	for i := len(f.ops) - 1; i >= 0; i-- {
		o := f.ops[i]
		if o.isLeaf() {
			continue
		}
		on := link{node: int32(i)}
		if len(up[i]) == 1 {
			on = up[i][0]
		}
		if len(up[i]) > 0 {
			addLink(up, o.right, on)
		}
		if !o.isEmpty() {
			addLink(up, o.left, link{int32(i), true}) // and on from there
		} else if len(up[i]) > 0 {
			addLink(up, o.left, on)
		}
	}
	return up
}

func addLink(up [][]link, node int32, l link) {
	if n := len(up[node]); n == 0 || up[node][n-1] != l {
		up[node] = append(up[node], l)
	}
}

// uses says for every node how often it is a side.
func (f form) uses() []int {
	uses := make([]int, len(f.ops))
	for _, o := range f.ops {
		if !o.isLeaf() {
			uses[o.left]++
			uses[o.right]++
		}
	}
	return uses
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
