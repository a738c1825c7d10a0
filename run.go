package agentgraph

import "context"

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
