package expr

import "slices"

// Transpose swaps the sides of every node with a label, in O(size).
func (e *Term) Transpose() *Term {
	f := e.Form()
	f.Ops = slices.Clone(f.Ops)
	for i := range f.Ops {
		if o := &f.Ops[i]; !o.isEmpty() {
			o.Left, o.Right = o.Right, o.Left
		}
	}
	return f.term(e.Size())
}

// Rename renames every vertex, in O(size). It asks to once for each vertex that
// stands in the form.
func (e *Term) Rename(to func(string) string) *Term {
	old := e.Form()
	renamed := Form{old.Ops, slices.Clone(old.names), old.labels}
	for _, o := range old.Ops {
		if o.IsLeaf() {
			for i, name := range old.Leaf(o) {
				renamed.names[int(o.from)+i] = to(name)
			}
		}
	}
	return renamed.term(e.Size())
}

// Induce returns what is left of the term where only some vertices are kept, in
// O(size). It asks keep once for each vertex that stands in the form.
func (e *Term) Induce(keep func(string) bool) *Term {
	var part builder
	all := e.Form()
	places := make([]int32, len(all.Ops)) // in part
	for i, o := range all.Ops {
		if o.IsLeaf() {
			places[i] = part.leafOf(all.Leaf(o), keep)
		} else {
			places[i] = part.joinOf(all.Label(o), places[o.Left], places[o.Right])
		}
	}
	return part.term(part.size())
}

// nowhere is the place of what is empty.
const nowhere = -1

func (b *builder) leafOf(names []string, keep func(string) bool) int32 {
	kept := make([]string, 0, len(names))
	for _, name := range names {
		if keep(name) {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return nowhere
	}
	return b.leaf(kept...)
}

func (b *builder) joinOf(label Set, left, right int32) int32 {
	if left == nowhere {
		return right
	}
	if right == nowhere {
		return left
	}
	return b.join(b.labelled(label), left, right)
}
