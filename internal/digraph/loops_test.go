package digraph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dominikbraun/graph"
	"github.com/stretchr/testify/require"
)

// The components are those of another implementation. That one recurses, so it
// is not the one we use: 1,000,000 agents in a ring take it a minute and 5 GB.
func TestLoopsAreThoseOfAnotherImplementation(t *testing.T) {
	cyclic := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(30)
		other := graph.New(graph.IntHash, graph.Directed())
		for v := range n {
			require.NoError(t, other.AddVertex(v+1)) // it loses the zero vertex
		}
		var edges []Edge
		for range r.IntN(2 * n) {
			from, to := r.IntN(n), r.IntN(n)
			edges = append(edges, Edge{int32(from), int32(to)})
			if err := other.AddEdge(from+1, to+1); err != nil {
				require.ErrorIs(t, err, graph.ErrEdgeAlreadyExists)
			}
		}
		components, err := graph.StronglyConnectedComponents(other)
		require.NoError(t, err)
		var want [][]int32
		for _, c := range components {
			var vertices []int32
			for _, v := range c {
				vertices = append(vertices, int32(v-1))
			}
			slices.Sort(vertices)
			if v := vertices[0]; len(c) > 1 || slices.Contains(edges, Edge{v, v}) {
				want = append(want, vertices)
			}
		}
		slices.SortFunc(want, slices.Compare)
		require.Equal(t, want, Loops(Adjacency(n, edges)))
		cyclic += len(want)
	}
	require.Greater(t, cyclic, 500)
}

func TestLoopsOfLongRing(t *testing.T) {
	const n = 1_000_000
	edges := make([]Edge, n)
	for v := range int32(n) {
		edges[v] = Edge{v, (v + 1) % n}
	}
	found := Loops(Adjacency(n, edges))
	require.Len(t, found, 1)
	require.Len(t, found[0], n)
	require.Empty(t, Loops(Adjacency(n, edges[:n-1])))
}
