package agentgraph

import "slices"

// table gives the edges of a graph row by row, a row being what leaves one
// vertex. Vertices are numbers, by their ranks among the names, so rows and
// their ends come in order of name. A row is a walk: up from the leaves that
// hold its vertex to every Connect that has one of them on its left, and from
// there down to the vertices on its right. The table takes O(size) memory, and
// a row takes the time of its edges, counted as often as the expression makes
// them.
type table struct {
	form
	ranks  []int32      // of every word of a leaf
	leaves lists[int32] // of every vertex: the leaves that hold it
	up     lists[link]  // of every node: where the walk up goes on

	ends    []int32 // of this row
	newest  []int32 // of every vertex: 1 + its newest entry in this row, or 0
	entries []entry // of this row

	seen, joined, under marks // nodes: met on the way up, joining, met on the way down
	todo, joins         []int32
}

// link leads up to a node. It joins when it comes from the left of a Connect
// with channels.
type link struct {
	node  int32
	joins bool
}

// entry is a Connect whose label goes to a vertex, and 1 + the entry before it
// for that vertex, or 0.
type entry struct{ connect, before int32 }

// ranksOf numbers sorted names.
func ranksOf(names []Name) map[Name]int32 {
	ranks := make(map[Name]int32, len(names))
	for i, name := range names {
		ranks[name] = int32(i)
	}
	return ranks
}

// newTable is nil if a vertex has no rank.
func newTable(f form, ranks map[Name]int32) *table {
	t := &table{form: f, ranks: make([]int32, len(f.words))}
	for _, o := range f.ops {
		if !o.isLeaf() {
			continue
		}
		for i, name := range f.names(o) {
			rank, found := ranks[name]
			if !found {
				return nil
			}
			t.ranks[int(o.from)+i] = rank
		}
	}
	t.leaves = t.findLeaves(len(ranks))
	t.up = f.links()
	t.newest = make([]int32, len(ranks))
	t.seen, t.joined, t.under = newMarks(len(f.ops)), newMarks(len(f.ops)), newMarks(len(f.ops))
	return t
}

func (t *table) findLeaves(vertices int) lists[int32] {
	counts := make([]int32, vertices)
	for _, o := range t.ops {
		if o.isLeaf() {
			for _, v := range t.vertices(o) {
				counts[v]++
			}
		}
	}
	leaves := newLists[int32](counts)
	for i, o := range t.ops {
		if o.isLeaf() {
			for _, v := range t.vertices(o) {
				leaves.add(v, int32(i))
			}
		}
	}
	return leaves
}

// vertices returns the ranks of a leaf's names.
func (t *table) vertices(leaf op) []int32 { return t.ranks[leaf.from:leaf.to] }

// row moves to the row of a vertex and returns the ends of its edges, in order.
// They are good until the next row.
func (t *table) row(from int32) []int32 {
	for _, end := range t.ends {
		t.newest[end] = 0
	}
	t.ends, t.entries = t.ends[:0], t.entries[:0]
	connects := t.connects(from)
	slices.SortFunc(connects, func(a, b int32) int {
		return t.labelAt(a).compare(t.labelAt(b))
	})
	for i, c := range connects {
		if i > 0 && t.labelAt(connects[i-1]).Equal(t.labelAt(c)) {
			connects[i] = connects[i-1] // one stands for all with its label
		} else {
			t.under.clear()
		}
		t.descend(t.ops[c].right, connects[i])
	}
	slices.Sort(t.ends)
	return t.ends
}

// has says whether the row has an edge to the vertex.
func (t *table) has(to int32) bool { return t.newest[to] != 0 }

// channels returns the label of an edge of the row.
func (t *table) channels(to int32) ChannelSet {
	e := t.entries[t.newest[to]-1]
	if e.before == 0 {
		return t.labelAt(e.connect)
	}
	labels := []ChannelSet{t.labelAt(e.connect)}
	for e.before != 0 {
		e = t.entries[e.before-1]
		labels = append(labels, t.labelAt(e.connect))
	}
	return unionOf(labels)
}

func (t *table) labelAt(connect int32) ChannelSet { return t.label(t.ops[connect]) }

// connects returns the labelled Connects that have the vertex on their left.
func (t *table) connects(of int32) []int32 {
	t.seen.clear()
	t.joined.clear()
	connects := t.joins[:0]
	todo := append(t.todo[:0], t.leaves.of(of)...)
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, l := range t.up.of(node) {
			if l.joins && t.joined.add(l.node) {
				connects = append(connects, l.node)
			}
			if t.seen.add(l.node) {
				todo = append(todo, l.node)
			}
		}
	}
	t.todo, t.joins = todo, connects
	return connects
}

// descend enters a Connect for all the vertices under a node.
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
	before := t.newest[vertex]
	if before == 0 {
		t.ends = append(t.ends, vertex)
	} else if t.entries[before-1].connect == connect {
		return
	}
	t.entries = append(t.entries, entry{connect, before})
	t.newest[vertex] = int32(len(t.entries))
}

// links leads the walk up past all nodes that join nothing, unless ways part
// there: a walk over the spine of a long overlay would cost more than its edges.
func (f form) links() lists[link] {
	up := newLists[link](f.uses())
	for i := len(f.ops) - 1; i >= 0; i-- {
		o := f.ops[i]
		if o.isLeaf() {
			continue
		}
		above := up.of(int32(i))
		on := link{node: int32(i)}
		if len(above) == 1 {
			on = above[0]
		}
		if len(above) > 0 {
			up.addNew(o.right, on)
		}
		if !o.isEmpty() {
			up.addNew(o.left, link{int32(i), true}) // and on from there
		} else if len(above) > 0 {
			up.addNew(o.left, on)
		}
	}
	return up
}

// uses says for every node how often it is a side.
func (f form) uses() []int32 {
	uses := make([]int32, len(f.ops))
	for _, o := range f.ops {
		if !o.isLeaf() {
			uses[o.left]++
			uses[o.right]++
		}
	}
	return uses
}

// lists is many lists, one for each number, all in one piece of memory.
type lists[T comparable] struct {
	from, to []int32
	items    []T
}

// newLists returns empty lists with room for so many items each. It keeps
// counts for itself.
func newLists[T comparable](counts []int32) lists[T] {
	from, total := make([]int32, len(counts)), int32(0)
	for i, n := range counts {
		from[i], counts[i] = total, total
		total += n
	}
	return lists[T]{from, counts, make([]T, total)}
}

func (l lists[T]) of(i int32) []T { return l.items[l.from[i]:l.to[i]] }

func (l lists[T]) add(i int32, item T) {
	l.items[l.to[i]] = item
	l.to[i]++
}

// addNew adds an item unless it is the list's last.
func (l lists[T]) addNew(i int32, item T) {
	if l.from[i] == l.to[i] || l.items[l.to[i]-1] != item {
		l.add(i, item)
	}
}

// marks is a set of numbers that is cleared in O(1).
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
