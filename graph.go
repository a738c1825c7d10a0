package agentgraph

import (
	"slices"
	"strconv"
	"strings"
)

// Bus lets everyone post to one channel and hear it, oneself too: it connects
// all names to all names. It is empty for no names.
func Bus(names []Name, ch Channel) Graph {
	all := Vertices(names...)
	return Connect(Channels(ch), all, all)
}

// Star lets a hub and its leaves talk, and no leaf to another: the hub posts to
// hubCh, the leaves post to leafCh. Without leaves it is the hub alone.
func Star(hub Name, leaves []Name, hubCh, leafCh Channel) Graph {
	middle, around := Vertex(hub), Vertices(leaves...)
	return Overlay(
		Connect(Channels(hubCh), middle, around),
		Connect(Channels(leafCh), around, middle),
	)
}

// Chain connects the names one after the other on one channel, so that every
// earlier one reaches every later one. One name is a vertex, and none is the
// empty graph. See [Pipeline] for reaching the next one only.
func Chain(names []Name, ch Channel) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	leaves := leavesOf(names)
	label := Channels(ch)
	connects := make([]expr, len(names)-1)
	chain := &leaves[0]
	for i := range connects {
		connects[i] = join(label, chain, &leaves[i+1])
		chain = &connects[i]
	}
	return Graph{chain}
}

// Pipeline lets each name reach the next one only. Hop i, counted from 1,
// connects names[i-1] to names[i] on the channel prefix.i. The first name feeds
// the pipeline and is often an [External] seat. One name is a vertex, and none
// is the empty graph.
func Pipeline(names []Name, prefix Channel) Graph {
	if len(names) == 0 {
		return Graph{}
	}
	leaves := leavesOf(names)
	if len(names) == 1 {
		return Graph{&leaves[0]}
	}
	channels := numbered(prefix, len(names)-1)
	hops := make([]expr, len(channels))
	for i := range hops {
		hops[i] = join(ChannelSet{channels[i : i+1 : i+1]}, &leaves[i], &leaves[i+1])
	}
	overlays := make([]expr, len(hops)-1)
	all := &hops[0]
	for i := range overlays {
		overlays[i] = join(ChannelSet{}, all, &hops[i+1])
		all = &overlays[i]
	}
	return Graph{all}
}

// leavesOf returns a leaf for every name, all in one piece of memory.
func leavesOf(names []Name) []expr {
	names = slices.Clone(names)
	leaves := make([]expr, len(names))
	for i := range leaves {
		leaves[i] = leaf(names[i : i+1 : i+1])
	}
	return leaves
}

// numbered returns prefix.1 to prefix.n, all in one piece of memory.
func numbered(prefix string, n int) []string {
	var b strings.Builder
	b.Grow(n * (len(prefix) + 1 + len(strconv.Itoa(n))))
	words := make([]string, n)
	var digits [20]byte
	for i := range words {
		start := b.Len()
		b.WriteString(prefix)
		b.WriteByte('.')
		b.Write(strconv.AppendInt(digits[:0], int64(i+1), 10))
		words[i] = b.String()[start:]
	}
	return words
}
