package agentgraph

import (
	"context"

	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
)

// RunGraph routes a graph, posts the inputs and runs it until nobody has anything
// left to hear. It returns the log, inputs first; beside an error, the log so far.
// It is [ToRoster] and [Roster.Run] in one: the call for a unit test. Posts that wait
// at a seat are no error, and it does not tell of them: [Meeting.Pending] does.
func RunGraph[B any](ctx context.Context, g Graph, reg Registry[B], inputs []Post[B]) ([]Post[B], error) {
	r, err := ToRoster(g, reg)
	if err != nil {
		return nil, err
	}
	return r.Run(ctx, inputs)
}

// Bus lets everyone post to one channel and hear it, oneself too: it connects
// all names to all names. It is empty for no names.
func Bus(names []Name, ch Channel) Graph { return Graph{expr.Bus(names, ch)} }

// Star lets a hub and its leaves talk, and no leaf to another: the hub posts to
// hubCh, the leaves post to leafCh. Without leaves it is the hub alone.
func Star(hub Name, leaves []Name, hubCh, leafCh Channel) Graph {
	return Graph{expr.Star(hub, leaves, hubCh, leafCh)}
}

// Chain connects the names one after the other on one channel, so that every
// earlier one reaches every later one. All but the first and the last hear
// themselves too, so they must not answer whatever they hear. One name is a
// vertex, and none is the empty graph. See [Pipeline] for reaching the next one only.
func Chain(names []Name, ch Channel) Graph { return Graph{expr.Chain(names, ch)} }

// Pipeline lets each name reach the next one only. Hop i, counted from 1,
// connects names[i-1] to names[i] on the channel prefix.i. The first name feeds
// the pipeline and is often an [External] seat. One name is a vertex, and none
// is the empty graph.
func Pipeline(names []Name, prefix Channel) Graph { return Graph{expr.Pipeline(names, prefix)} }
