// Package digraph is directed graphs whose vertices are numbers from 0.
package digraph

import "github.com/seed-a2b66b4f/agentgraph/internal/packed"

// Edge is an edge between numbered vertices.
type Edge struct{ From, To int32 }

// Adjacency lists for each of n vertices where its edges lead to, in the order
// of the edges.
func Adjacency(n int, edges []Edge) packed.Lists[int32] {
	counts := make([]int32, n)
	for _, e := range edges {
		counts[e.From]++
	}
	next := packed.New[int32](counts)
	for _, e := range edges {
		next.Add(e.From, e.To)
	}
	return next
}

// Reversed returns the edges turned around.
func Reversed(edges []Edge) []Edge {
	back := make([]Edge, len(edges))
	for i, e := range edges {
		back[i] = Edge{e.To, e.From}
	}
	return back
}
