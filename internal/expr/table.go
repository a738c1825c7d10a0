package expr

import (
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// Table gives the edges of a graph row by row, a row being what leaves one
// vertex. Vertices are numbers, by their ranks among the names, so rows and
// their ends come in order of name. A row is a walk: up from the leaves that
// hold its vertex to every Connect that has one of them on its left, and from
// there down to the vertices on its right. The table takes O(size) memory, and
// a row takes the time of its edges, counted as often as the expression makes
// them.
type Table struct {
	form   Form
	ranks  []int32             // of every name of the leaves
	leaves packed.Lists[int32] // of every vertex: the leaves that hold it
	up     packed.Lists[link]  // of every node: where the walk up goes on

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

// Ranks numbers sorted names.
func Ranks(names []string) map[string]int32 {
	ranks := make(map[string]int32, len(names))
	for i, name := range names {
		ranks[name] = int32(i)
	}
	return ranks
}

// NewTable is nil if a vertex has no rank.
func NewTable(f Form, ranks map[string]int32) *Table {
	t := &Table{form: f, ranks: make([]int32, len(f.names))}
	for _, o := range f.Ops {
		if !o.IsLeaf() {
			continue
		}
		for i, name := range f.Leaf(o) {
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
	t.seen, t.joined, t.under = newMarks(len(f.Ops)), newMarks(len(f.Ops)), newMarks(len(f.Ops))
	return t
}

func (t *Table) findLeaves(vertices int) packed.Lists[int32] {
	counts := make([]int32, vertices)
	for _, o := range t.form.Ops {
		if o.IsLeaf() {
			for _, v := range t.vertices(o) {
				counts[v]++
			}
		}
	}
	leaves := packed.New[int32](counts)
	for i, o := range t.form.Ops {
		if o.IsLeaf() {
			for _, v := range t.vertices(o) {
				leaves.Add(v, int32(i))
			}
		}
	}
	return leaves
}

// vertices returns the ranks of a leaf's names.
func (t *Table) vertices(leaf Op) []int32 { return t.ranks[leaf.from:leaf.to] }

// Row moves to the row of a vertex and returns the ends of its edges, in order.
// They are good until the next row.
func (t *Table) Row(from int32) []int32 {
	for _, end := range t.ends {
		t.newest[end] = 0
	}
	t.ends, t.entries = t.ends[:0], t.entries[:0]
	connects := t.joining(from)
	slices.SortFunc(connects, func(a, b int32) int {
		return t.labelAt(a).Compare(t.labelAt(b))
	})
	for i, c := range connects {
		if i > 0 && t.labelAt(connects[i-1]).Equal(t.labelAt(c)) {
			connects[i] = connects[i-1] // one stands for all with its label
		} else {
			t.under.clear()
		}
		t.descend(t.form.Ops[c].Right, connects[i])
	}
	slices.Sort(t.ends)
	return t.ends
}

// has says whether the row has an edge to the vertex.
func (t *Table) has(to int32) bool { return t.newest[to] != 0 }

// Label returns the label of an edge of the row.
func (t *Table) Label(to int32) Set {
	e := t.entries[t.newest[to]-1]
	if e.before == 0 {
		return t.labelAt(e.connect)
	}
	labels := []Set{t.labelAt(e.connect)}
	for e.before != 0 {
		e = t.entries[e.before-1]
		labels = append(labels, t.labelAt(e.connect))
	}
	return unionOf(labels)
}

func (t *Table) labelAt(connect int32) Set { return t.form.Label(t.form.Ops[connect]) }

// joining returns the labelled Connects that have the vertex on their left.
func (t *Table) joining(of int32) []int32 {
	t.seen.clear()
	t.joined.clear()
	connects := t.joins[:0]
	todo := append(t.todo[:0], t.leaves.Of(of)...)
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, l := range t.up.Of(node) {
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
func (t *Table) descend(node, connect int32) {
	todo := append(t.todo[:0], node)
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !t.under.add(node) {
			continue
		}
		o := t.form.Ops[node]
		if !o.IsLeaf() {
			todo = append(todo, o.Right, o.Left)
			continue
		}
		for _, v := range t.vertices(o) {
			t.enter(v, connect)
		}
	}
	t.todo = todo
}

func (t *Table) enter(vertex, connect int32) {
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
func (f Form) links() packed.Lists[link] {
	up := packed.New[link](f.Uses())
	for i := len(f.Ops) - 1; i >= 0; i-- {
		o := f.Ops[i]
		if o.IsLeaf() {
			continue
		}
		above := up.Of(int32(i))
		on := link{node: int32(i)}
		if len(above) == 1 {
			on = above[0]
		}
		if len(above) > 0 {
			up.AddNew(o.Right, on)
		}
		if !o.isEmpty() {
			up.AddNew(o.Left, link{int32(i), true}) // and on from there
		} else if len(above) > 0 {
			up.AddNew(o.Left, on)
		}
	}
	return up
}
