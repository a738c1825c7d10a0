package expr

import (
	"math"
	"slices"
)

// Form is an expression as a list: both sides of a node stand before it, and
// the root stands last. Every algorithm over graphs is a loop over a form:
// forwards from the leaves to the root, or backwards to hand something down.
// A node may be a side of several, and both sides of one. No node is empty, so
// every label shows on some edge. A form is immutable once it is made.
type Form struct {
	Ops    []Op
	names  []string // of the leaves
	labels []string // the items of all labels
}

// Op is a node of a form: a leaf, which is the overlay of some vertices, or two
// sides and the label that connects them.
type Op struct {
	span              // the names of a leaf, at least one; or the items of a label, none for an overlay
	Left, Right int32 // the places of the sides; they mean nothing in a leaf
}

// span is a part of a form's names or labels.
type span struct{ from, to int32 }

const noSide = -1

// IsLeaf says whether the node has no sides.
func (o Op) IsLeaf() bool { return o.Left == noSide }

// IsConnect says whether the node has sides and a label that is not empty.
func (o Op) IsConnect() bool { return !o.IsLeaf() && !o.isEmpty() }

// isEmpty is true for the label of an overlay.
func (s span) isEmpty() bool { return s.from == s.to }

// Leaf returns the vertices of a leaf, as they were given.
func (f Form) Leaf(o Op) []string { return f.names[o.from:o.to:o.to] }

// Label returns the label of a node that is not a leaf.
func (f Form) Label(o Op) Set {
	if o.isEmpty() {
		return nil
	}
	return f.labels[o.from:o.to:o.to]
}

// items returns the names of a leaf or the items of a label.
func (f Form) items(o Op) []string {
	if o.IsLeaf() {
		return f.Leaf(o)
	}
	return f.Label(o)
}

// Names returns the vertices, sorted, in O(size log size).
func (f Form) Names() []string {
	names := f.vertices()
	slices.Sort(names)
	return slices.Clip(slices.Compact(names))
}

// vertices returns the names of all leaves, without immediate repeats.
func (f Form) vertices() []string {
	total := 0
	for _, o := range f.Ops {
		if o.IsLeaf() {
			total += len(f.Leaf(o))
		}
	}
	if total == 0 {
		return nil
	}
	all := make([]string, 0, total)
	for _, o := range f.Ops {
		if !o.IsLeaf() {
			continue
		}
		for _, name := range f.Leaf(o) {
			if len(all) == 0 || all[len(all)-1] != name {
				all = append(all, name)
			}
		}
	}
	return all
}

// Has says whether the name is a vertex, in O(size).
func (f Form) Has(name string) bool {
	return slices.ContainsFunc(f.Ops, func(o Op) bool {
		return o.IsLeaf() && slices.Contains(f.Leaf(o), name)
	})
}

// Connects is the number of nodes with a label that is not empty.
func (f Form) Connects() int {
	n := 0
	for _, o := range f.Ops {
		if o.IsConnect() {
			n++
		}
	}
	return n
}

// Uses says for every node how often it is a side.
func (f Form) Uses() []int32 {
	uses := make([]int32, len(f.Ops))
	for _, o := range f.Ops {
		if !o.IsLeaf() {
			uses[o.Left]++
			uses[o.Right]++
		}
	}
	return uses
}

// size counts the vertices of the expression as a tree, up to math.MaxInt.
func (f Form) size() int {
	sizes := make([]int, len(f.Ops))
	for i, o := range f.Ops {
		if o.IsLeaf() {
			sizes[i] = len(f.Leaf(o))
		} else {
			sizes[i] = add(sizes[o.Left], sizes[o.Right])
		}
	}
	if len(sizes) == 0 {
		return 0
	}
	return sizes[len(sizes)-1]
}

// add stops at math.MaxInt.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
