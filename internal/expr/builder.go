package expr

// builder makes a form from the leaves up.
type builder struct {
	Form
	last   Set // the last label, and its place
	lastAt span
}

// newBuilder returns a builder with room for so many ops, names and labels.
func newBuilder(ops, names, labels int) builder {
	return builder{Form: Form{make([]Op, 0, ops), make([]string, 0, names), make([]string, 0, labels)}}
}

// leaf adds a leaf and returns its place.
func (b *builder) leaf(names ...string) int32 {
	from := len(b.names)
	b.names = append(b.names, names...)
	return b.join(span{int32(from), int32(len(b.names))}, noSide, noSide)
}

// label adds the items of a label.
func (b *builder) label(items ...string) span {
	from := len(b.labels)
	b.labels = append(b.labels, items...)
	return span{int32(from), int32(len(b.labels))}
}

// join adds a node with two sides and returns its place.
func (b *builder) join(label span, left, right int32) int32 {
	b.Ops = append(b.Ops, Op{label, left, right})
	return int32(len(b.Ops) - 1)
}

// labelled adds a label, unless it is the one before.
func (b *builder) labelled(label Set) span {
	if len(label) == 0 {
		return span{}
	}
	if len(label) != len(b.last) || &label[0] != &b.last[0] {
		b.last, b.lastAt = label, b.label(label...)
	}
	return b.lastAt
}
