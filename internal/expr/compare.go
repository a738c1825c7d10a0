package expr

import "slices"

// Equal says whether both terms have the same vertices and the same labels. It
// costs O(size) where both are built alike, O(size log size) where the vertices
// differ, and otherwise what the edges of both cost up to the first vertex whose
// edges differ.
func (e *Term) Equal(other *Term) bool {
	if e == other {
		return true
	}
	mine, theirs := e.Form(), other.Form()
	if mine.isLike(theirs) {
		return true
	}
	ranks := Ranks(mine.Names())
	t := NewTable(theirs, ranks)
	if t == nil || !t.hasAll() {
		return false
	}
	s := NewTable(mine, ranks)
	for from := range int32(len(ranks)) {
		if !s.sameRow(t, from) {
			return false
		}
	}
	return true
}

// IsSubgraphOf says whether the other term has all the vertices and all the
// labels of this one. It costs what Equal costs.
func (e *Term) IsSubgraphOf(other *Term) bool {
	if e == other {
		return true
	}
	mine, theirs := e.Form(), other.Form()
	if mine.isLike(theirs) {
		return true
	}
	ranks := Ranks(theirs.Names())
	s := NewTable(mine, ranks)
	if s == nil {
		return false
	}
	t := NewTable(theirs, ranks)
	for from := range int32(len(ranks)) {
		if !s.isSubrow(t, from) {
			return false
		}
	}
	return true
}

// hasAll says whether all ranked names are vertices.
func (t *Table) hasAll() bool {
	for v := range int32(len(t.newest)) {
		if len(t.leaves.Of(v)) == 0 {
			return false
		}
	}
	return true
}

func (t *Table) sameRow(other *Table, from int32) bool {
	if !slices.Equal(t.Row(from), other.Row(from)) {
		return false
	}
	for _, to := range t.ends {
		if !t.Label(to).Equal(other.Label(to)) {
			return false
		}
	}
	return true
}

func (t *Table) isSubrow(other *Table, from int32) bool {
	ends := t.Row(from)
	if len(ends) == 0 {
		return true
	}
	other.Row(from)
	for _, to := range ends {
		if !other.has(to) || !t.Label(to).IsSubsetOf(other.Label(to)) {
			return false
		}
	}
	return true
}

// isLike says whether two expressions have one shape, whatever they share. It
// gives up, which is false, where that would take more than O(size).
func (f Form) isLike(g Form) bool {
	if len(f.Ops) == 0 || len(g.Ops) == 0 {
		return len(f.Ops) == len(g.Ops)
	}
	type pair struct{ f, g int32 }
	todo := []pair{{int32(len(f.Ops) - 1), int32(len(g.Ops) - 1)}}
	like := make([]int32, len(f.Ops)) // 1 + the node that was last compared with it, or 0
	for range 2 * (len(f.Ops) + len(g.Ops)) {
		if len(todo) == 0 {
			return true
		}
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if like[p.f] == p.g+1 {
			continue
		}
		like[p.f] = p.g + 1
		o, q := f.Ops[p.f], g.Ops[p.g]
		if o.IsLeaf() != q.IsLeaf() || !slices.Equal(f.items(o), g.items(q)) {
			return false
		}
		if !o.IsLeaf() {
			todo = append(todo, pair{o.Left, q.Left}, pair{o.Right, q.Right})
		}
	}
	return false
}
