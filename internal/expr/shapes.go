package expr

import (
	"strconv"
	"strings"
)

// Chain connects names one after the other, each to all that went before it. It
// is one form.
func Chain(names []string, label string) *Term {
	if len(names) == 0 {
		return nil
	}
	b := newBuilder(2*len(names)-1, len(names)+1)
	on := b.put(label)
	chain := b.leaf(b.put(names[0]))
	for _, name := range names[1:] {
		chain = b.join(on, chain, b.leaf(b.put(name)))
	}
	return b.term(len(names))
}

// Pipeline connects each name to the next one only, the i-th hop from 1 on
// prefix.i. It is one form.
func Pipeline(names []string, prefix string) *Term {
	if len(names) < 2 {
		return Vertices(names)
	}
	b := newBuilder(3*len(names)-3, 2*len(names)-1)
	labels := newNumbered(prefix, len(names)-1)
	last := b.leaf(b.put(names[0]))
	all := last
	for i, name := range names[1:] {
		next := b.leaf(b.put(name))
		hop := b.join(b.put(labels.next()), last, next)
		if i == 0 {
			all = hop
		} else {
			all = b.join(span{}, all, hop)
		}
		last = next
	}
	return b.term(2*len(names) - 2)
}

// numbered gives prefix.1, prefix.2 and so on, all in one piece of memory.
type numbered struct {
	prefix string
	n      int
	text   strings.Builder
}

func newNumbered(prefix string, n int) *numbered {
	s := &numbered{prefix: prefix}
	s.text.Grow(n * (len(prefix) + 1 + len(strconv.Itoa(n))))
	return s
}

func (s *numbered) next() string {
	start := s.text.Len()
	s.text.WriteString(s.prefix)
	s.text.WriteByte('.')
	var digits [20]byte
	s.n++
	s.text.Write(strconv.AppendInt(digits[:0], int64(s.n), 10))
	return s.text.String()[start:]
}
