package expr

import (
	"cmp"
	"slices"
)

// Wires is what the vertices of a graph have on their edges, as numbers. It is
// made anew for each caller, but the names may be the expression's own.
type Wires struct {
	Names   []string // sorted
	In, Out []int32  // of each name: the set on its incoming edges, and on its outgoing ones
	Sets    *Sets
}

// Wires reads the wires off an expression. A vertex on the left of a connect has
// an outgoing edge with its label, one on the right an incoming one, so labels
// are handed down from the root to the vertices. It costs O(size log size), and
// as much again as the channels of all vertices when these differ.
func (e *Term) Wires() *Wires {
	f := e.Form()
	w := &Wires{Sets: newSets(f.labelCount())}
	v := f.newVertices()
	type handed struct{ in, out int32 }
	down := make([]handed, len(f.Ops))
	for i := len(f.Ops) - 1; i >= 0; i-- {
		op, h := f.Ops[i], down[i]
		if !op.IsLeaf() {
			label := w.Sets.Of(f.Label(op))
			l := &down[op.Left]
			*l = handed{w.Sets.union(l.in, h.in), w.Sets.union(l.out, w.Sets.union(h.out, label))}
			r := &down[op.Right] // left and right may be one
			*r = handed{w.Sets.union(r.in, w.Sets.union(h.in, label)), w.Sets.union(r.out, h.out)}
			continue
		}
		if v.distinct {
			v.fill(op.span, h.in, h.out)
		} else {
			v.add(f.Leaf(op), h.in, h.out)
		}
	}
	w.Names, w.In, w.Out = v.names, v.in.sets(w.Sets), v.out.sets(w.Sets)
	w.sort()
	return w
}

// vertices gathers the names of a form and their sets.
type vertices struct {
	index
	distinct bool // the form's names are sorted and unique, and numbers are their places
	in, out  merging
}

func (f Form) newVertices() vertices {
	n := len(f.names)
	if f.distinct() {
		return vertices{index: index{names: f.names}, distinct: true, in: merging{first: make([]int32, n)}, out: merging{first: make([]int32, n)}}
	}
	return vertices{index: index{names: make([]string, 0, n)}, in: merging{first: make([]int32, 0, n)}, out: merging{first: make([]int32, 0, n)}}
}

// distinct says whether every name stands in one leaf, and all are in order.
func (f Form) distinct() bool {
	if !rising(f.names) {
		return false
	}
	total := 0
	for _, o := range f.Ops {
		if o.IsLeaf() {
			total += int(o.to - o.from)
		}
	}
	return total == len(f.names)
}

func rising(names []string) bool {
	for i := 1; i < len(names); i++ {
		if names[i-1] >= names[i] {
			return false
		}
	}
	return true
}

// fill gives the vertices of a leaf their sets, which are all that they have.
func (v *vertices) fill(leaf span, in, out int32) {
	for i := leaf.from; i < leaf.to; i++ {
		v.in.first[i], v.out.first[i] = in, out
	}
}

// add gives the vertices of a leaf these sets too.
func (v *vertices) add(names []string, in, out int32) {
	for _, name := range names {
		i := v.number(name)
		v.in.add(i, in)
		v.out.add(i, out)
	}
}

// merging gathers the sets of vertices that occur more than once, so that each
// vertex's are joined in one go.
type merging struct {
	first []int32 // by vertex
	more  []joining
}

type joining struct{ vertex, set int32 }

func (m *merging) add(vertex, set int32) {
	switch {
	case int(vertex) == len(m.first):
		m.first = append(m.first, set)
	case m.first[vertex] == 0:
		m.first[vertex] = set
	case set != 0 && set != m.first[vertex]:
		m.more = append(m.more, joining{vertex, set})
	}
}

// sets returns the set of each vertex.
func (m *merging) sets(s *Sets) []int32 {
	slices.SortFunc(m.more, func(a, b joining) int { return cmp.Or(cmp.Compare(a.vertex, b.vertex), cmp.Compare(a.set, b.set)) })
	more := slices.Compact(m.more)
	var together []int32
	for i := 0; i < len(more); {
		vertex := more[i].vertex
		together = append(together[:0], m.first[vertex])
		for ; i < len(more) && more[i].vertex == vertex; i++ {
			together = append(together, more[i].set)
		}
		m.first[vertex] = s.join(together...)
	}
	return m.first
}

// labelCount returns about how many labels a form has.
func (f Form) labelCount() int {
	n := 0
	var last span
	for _, op := range f.Ops {
		if op.IsConnect() && op.span != last {
			last = op.span
			n++
		}
	}
	return n
}

// sort brings the names in order; they often are already, or the other way round.
func (w *Wires) sort() {
	if rising(w.Names) {
		return
	}
	slices.Reverse(w.Names)
	slices.Reverse(w.In)
	slices.Reverse(w.Out)
	if rising(w.Names) {
		return
	}
	order := make([]int32, len(w.Names))
	for i := range order {
		order[i] = int32(i)
	}
	names := w.Names
	slices.SortFunc(order, func(a, b int32) int { return compareNames(names[a], names[b]) })
	w.Names, w.In, w.Out = permuted(w.Names, order), permuted(w.In, order), permuted(w.Out, order)
}

func permuted[T any](s []T, order []int32) []T {
	p := make([]T, len(s))
	for i, from := range order {
		p[i] = s[from]
	}
	return p
}

// compareNames is strings.Compare, which the compiler inlines here.
func compareNames(a, b string) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}
