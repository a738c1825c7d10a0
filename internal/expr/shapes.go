package expr

import (
	"strconv"
	"strings"
)

// Bus connects all names to all names. It is one form, as are the others.
func Bus(names []string, label string) *Term {
	if len(names) == 0 {
		return nil
	}
	b := newBuilder(2, len(names), 1)
	all := b.leaf(names...)
	b.join(b.label(label), all, all)
	return b.term(2 * len(names))
}

// Star connects a hub to its leaves, and them to the hub.
func Star(hub string, leaves []string, hubLabel, leafLabel string) *Term {
	if len(leaves) == 0 {
		return Vertex(hub)
	}
	b := newBuilder(5, 1+len(leaves), 2)
	middle, around := b.leaf(hub), b.leaf(leaves...)
	out := b.join(b.label(hubLabel), middle, around)
	back := b.join(b.label(leafLabel), around, middle)
	b.join(span{}, out, back)
	return b.term(2 + 2*len(leaves))
}

// Chain connects names one after the other, each to all that went before it.
func Chain(names []string, label string) *Term {
	if len(names) == 0 {
		return nil
	}
	b := newBuilder(2*len(names)-1, len(names), 1)
	on := b.label(label)
	chain := b.leaf(names[0])
	for _, name := range names[1:] {
		chain = b.join(on, chain, b.leaf(name))
	}
	return b.term(len(names))
}

// Pipeline connects each name to the next one only, the i-th hop from 1 on
// prefix.i.
func Pipeline(names []string, prefix string) *Term {
	if len(names) < 2 {
		return Vertices(names)
	}
	b := newBuilder(3*len(names)-3, len(names), len(names)-1)
	labels := newNumbered(prefix, len(names)-1)
	last := b.leaf(names[0])
	all := last
	for i, name := range names[1:] {
		next := b.leaf(name)
		hop := b.join(b.label(labels.next()), last, next)
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
