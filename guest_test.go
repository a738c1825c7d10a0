package agentgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/seed-a2b66b4f/agentgraph"
)

// TestGuestsPostWhereTheySay: what is kept of the last post of an author must not
// show in the next one, nor what the caller does to its own slice.
func TestGuestsPostWhereTheySay(t *testing.T) {
	x, y := Connect(Channels("x"), Vertex("seat"), Vertex("at-x")), Connect(Channels("y"), Vertex("seat"), Vertex("at-y"))
	seats := Registry[int]{"seat": External[int](), "at-x": External[int](), "at-y": External[int]()}
	r, err := ToRoster(Overlay(x, y), seats)
	require.NoError(t, err)
	m := r.Open()
	mine := []Channel{"y", "x", "y"}
	require.NoError(t, m.Post(Post[int]{From: "u", To: mine, Body: 0}))
	mine[0], mine[1], mine[2] = "x", "x", "x"
	require.NoError(t, m.Post(
		Post[int]{From: "u", To: mine, Body: 1},
		Post[int]{From: "v", To: []Channel{"y"}, Body: 2},
		Post[int]{From: "u", Body: 3},
		Post[int]{From: "u", To: []Channel{"x"}, Body: 4},
		Post[int]{From: "u", To: []Channel{"x"}, Body: 5},
	))
	to := [][]Channel{{"x", "y"}, {"x"}, {"y"}, {}, {"x"}, {"x"}}
	ids := []string{"u#0", "u#1", "v#0", "u#2", "u#3", "u#4"}
	for i, p := range m.Log() {
		require.Equal(t, to[i], p.To)
		require.Equal(t, ids[i], p.ID.String())
	}
	waits := map[Name][]int{}
	for _, w := range m.Pending() {
		for _, p := range w.Posts {
			waits[w.At] = append(waits[w.At], p.Body)
		}
	}
	require.Equal(t, map[Name][]int{"at-x": {0, 1, 4, 5}, "at-y": {0, 2}}, waits)
}
