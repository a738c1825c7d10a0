package agentgraph

import (
	"context"
	"strconv"
	"strings"
)

// RunGraph routes a graph, posts the inputs and runs it until nobody has anything
// left to hear. It returns the log, inputs first; beside an error, the log so far.
// It is [ToRoster] and [Roster.Run] in one: the call for a unit test.
func RunGraph[B any](ctx context.Context, g Graph, reg Registry[B], inputs []Post[B]) ([]Post[B], error) {
	r, err := ToRoster(g, reg)
	if err != nil {
		return nil, err
	}
	return r.Run(ctx, inputs)
}

// Bus lets everyone post to one channel and hear it, oneself too: it connects
// all names to all names. It is empty for no names.
func Bus(names []Name, ch Channel) Graph {
	all := Vertices(names...)
	return Connect(Channels(ch), all, all)
}

// Star lets a hub and its leaves talk, and no leaf to another: the hub posts to
// hubCh, the leaves post to leafCh. Without leaves it is the hub alone.
func Star(hub Name, leaves []Name, hubCh, leafCh Channel) Graph {
	if len(leaves) == 0 {
		return Vertex(hub)
	}
	middle, around := Vertex(hub), Vertices(leaves...)
	return Overlay(
		Connect(Channels(hubCh), middle, around),
		Connect(Channels(leafCh), around, middle),
	)
}

// Chain connects the names one after the other on one channel, so that every
// earlier one reaches every later one. All but the first and the last hear
// themselves too, so they must not answer whatever they hear. One name is a
// vertex, and none is the empty graph. See [Pipeline] for reaching the next one only.
func Chain(names []Name, ch Channel) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	b := newBuilder(2*len(names)-1, len(names)+1)
	label := b.put(ch)
	chain := b.leaf(b.put(names[0]))
	for _, name := range names[1:] {
		chain = b.join(label, chain, b.leaf(b.put(name)))
	}
	return Graph{exprOf(b.form, len(names))}
}

// Pipeline lets each name reach the next one only. Hop i, counted from 1,
// connects names[i-1] to names[i] on the channel prefix.i. The first name feeds
// the pipeline and is often an [External] seat. One name is a vertex, and none
// is the empty graph.
func Pipeline(names []Name, prefix Channel) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	if len(names) == 1 {
		return Vertex(names[0])
	}
	b := newBuilder(3*len(names)-3, 2*len(names)-1)
	channels := newNumbered(prefix, len(names)-1)
	last := b.leaf(b.put(names[0]))
	all := last
	for i, name := range names[1:] {
		next := b.leaf(b.put(name))
		hop := b.join(b.put(channels.next()), last, next)
		if i == 0 {
			all = hop
		} else {
			all = b.join(span{}, all, hop)
		}
		last = next
	}
	return Graph{exprOf(b.form, 2*len(names)-2)}
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
