package expr

// builder makes a form from the leaves up.
type builder struct {
	Form
	last   Set // the last label, and its place
	lastAt span
}

// newBuilder returns a builder with room for so many ops and words.
func newBuilder(ops, words int) builder {
	return builder{Form: Form{make([]Op, 0, ops), make([]string, 0, words)}}
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
	b.Ops = append(b.Ops, Op{label, left, right})
	return int32(len(b.Ops) - 1)
}

// labelled adds a label, unless it is the one before.
func (b *builder) labelled(label Set) span {
	if len(label) == 0 {
		return span{}
	}
	if len(label) != len(b.last) || &label[0] != &b.last[0] {
		b.last, b.lastAt = label, b.put(label...)
	}
	return b.lastAt
}
