package agentgraph

import "github.com/seed-a2b66b4f/agentgraph/internal/expr"

// Edge is an edge of a graph, with the channels of all that connects its ends.
type Edge struct {
	From, To Name
	Channels ChannelSet // at least one
}

// Edges returns the edges, sorted by From and To. It costs O(size log size) and
// the sum of left times right over the labelled Connects, which is what it
// shows, and O(size) memory beside its result.
func (g Graph) Edges() []Edge {
	f := g.root.Form()
	connects := f.Connects()
	if connects == 0 {
		return nil
	}
	names := f.Names()
	t := expr.NewTable(f, expr.Ranks(names))
	edges := make([]Edge, 0, connects)
	for from, name := range names {
		for _, to := range t.Row(int32(from)) {
			edges = append(edges, Edge{name, names[to], ChannelSet{t.Label(to)}})
		}
	}
	return edges
}

// Label returns the channels of the edge from one vertex to the other, none
// where there is no edge, in O(size).
func (g Graph) Label(from, to Name) ChannelSet {
	return ChannelSet{g.root.Form().Between(from, to)}
}

// Equal says whether both graphs have the same vertices and the same labels. It
// costs O(size) where both are built alike, O(size log size) where the vertices
// differ, and otherwise what Edges of both costs up to the first vertex whose
// edges differ.
func (g Graph) Equal(h Graph) bool { return g.root.Equal(h.root) }

// IsSubgraphOf says whether h has all the vertices and all the labels of g, so
// that the overlay of both is h. It costs what Equal costs.
func (g Graph) IsSubgraphOf(h Graph) bool { return g.root.IsSubgraphOf(h.root) }
