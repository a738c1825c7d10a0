package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPostsFromOutsideAreForgotten: where they go is kept as long as a node is still
// to take them.
func TestPostsFromOutsideAreForgotten(t *testing.T) {
	plan := NewPlan() // an agent, and a node with an agent and a node with an agent
	all := func(kind Kind) func(int) Entry {
		return func(i int) Entry { return Entry{Kind: []Kind{Agent, kind}[i], Hears: true} }
	}
	plan.AddRoom(None, 2, all(Node))
	plan.AddRoom(1, 2, all(Node))
	plan.AddRoom(3, 1, all(Agent))
	l := NewLoop(plan)
	var heard []int32
	for post := range 3 {
		l.DeliverOutside(post, []Chan{Everyone})
	}
	l.DeliverOutside(3, nil)
	require.Len(t, l.outside, 3, "nobody hears the last one")
	for {
		agent, post, ok := l.Next()
		if !ok {
			break
		}
		require.LessOrEqual(t, len(l.outside), 3-post)
		l.Take(agent)
		heard = append(heard, agent)
	}
	require.Equal(t, []int32{0, 2, 4, 0, 2, 4, 0, 2, 4}, heard)
	require.Empty(t, l.outside)
}
