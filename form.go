package agentgraph

import "math"

// form is an expression as a list: both sides of a node stand before it, and
// the root stands last. Every algorithm over graphs is a loop over a form:
// forwards from the leaves to the root, or backwards to hand something down.
// A node may be a side of several, and both sides of one. No node is empty, so
// every label shows on some edge. A form is immutable once it is made.
type form struct {
	ops   []op
	words []string // the names and channels of the ops
}

// op is a node of a form: a leaf, which is the overlay of some vertices, or two
// sides and the label that connects them.
type op struct {
	span              // the names of a leaf, at least one; or the channels of a label, none for Overlay
	left, right int32 // the places of the sides; noSide in a leaf
}

// span is a part of a form's words.
type span struct{ from, to int32 }

const noSide = -1

func (o op) isLeaf() bool { return o.left == noSide }

// isEmpty is true for the label of an overlay.
func (s span) isEmpty() bool { return s.from == s.to }

// names returns the vertices of a leaf, as they were given.
func (f form) names(leaf op) []Name { return f.words[leaf.from:leaf.to:leaf.to] }

// label returns the channels of a node that is no leaf.
func (f form) label(o op) ChannelSet {
	if o.isEmpty() {
		return ChannelSet{}
	}
	return ChannelSet{f.words[o.from:o.to:o.to]}
}

// vertices returns the names of all leaves, without immediate repeats.
func (f form) vertices() []Name {
	total := 0
	for _, o := range f.ops {
		if o.isLeaf() {
			total += len(f.names(o))
		}
	}
	if total == 0 {
		return nil
	}
	all := make([]Name, 0, total)
	for _, o := range f.ops {
		if !o.isLeaf() {
			continue
		}
		for _, name := range f.names(o) {
			if len(all) == 0 || all[len(all)-1] != name {
				all = append(all, name)
			}
		}
	}
	return all
}

// connects is the number of nodes with a label that is not empty.
func (f form) connects() int {
	n := 0
	for _, o := range f.ops {
		if !o.isLeaf() && !o.isEmpty() {
			n++
		}
	}
	return n
}

// size counts the vertices of the expression as a tree, up to math.MaxInt.
func (f form) size() int {
	sizes := make([]int, len(f.ops))
	for i, o := range f.ops {
		if o.isLeaf() {
			sizes[i] = len(f.names(o))
		} else {
			sizes[i] = add(sizes[o.left], sizes[o.right])
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

// builder makes a form from the leaves up.
type builder struct {
	form
	last   []string // the last label, and its place
	lastAt span
}

// newBuilder returns a builder with room for so many ops and words.
func newBuilder(ops, words int) builder {
	return builder{form: form{make([]op, 0, ops), make([]string, 0, words)}}
}

// put adds words.
func (b *builder) put(words ...string) span {
	from := len(b.words)
	b.words = append(b.words, words...)
	return span{int32(from), int32(len(b.words))}
}

// leaf adds a leaf and returns its place.
func (b *builder) leaf(names span) int32 {
	return b.join(names, noSide, noSide)
}

// join adds a node with two sides and returns its place.
func (b *builder) join(label span, left, right int32) int32 {
	b.ops = append(b.ops, op{label, left, right})
	return int32(len(b.ops) - 1)
}

// labelled adds the channels of a label, unless it is the one before.
func (b *builder) labelled(label []Channel) span {
	if len(label) == 0 {
		return span{}
	}
	if len(label) != len(b.last) || &label[0] != &b.last[0] {
		b.last, b.lastAt = label, b.put(label...)
	}
	return b.lastAt
}
