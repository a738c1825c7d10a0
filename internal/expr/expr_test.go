package expr

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func numberedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "n" + strconv.Itoa(i)
	}
	return names
}

// Few nodes with many names must not be written out as often as they occur.
func TestSharedLeavesAreWorkedOnOnce(t *testing.T) {
	x, y := Vertices(numberedNames(sharedWords-1)), Vertex("a")
	for range 30 {
		x, y = Connect(nil, x, y), x
	}
	require.Less(t, int(x.nodes), walkLimit)
	require.Less(t, len(x.Form().names), 10_000)
	require.Len(t, x.Form().Names(), sharedWords)
}

// The cost of an edge must not depend on how long an overlay it stands in.
func TestLinksLeadPastLongOverlays(t *testing.T) {
	const n = 100_000
	names := numberedNames(n)
	var hops *Term
	for i := n - 1; i > 0; i-- {
		hop := Connect(SetOf("p."+strconv.Itoa(i)), Vertex(names[i-1]), Vertex(names[i]))
		hops = Connect(nil, hops, hop)
	}
	f := Connect(SetOf("end"), hops, Vertex("end")).Form()
	up := f.links()
	for node := range f.Ops {
		for _, l := range up.Of(int32(node)) {
			if !l.joins {
				require.FailNow(t, "a link that only leads on")
			}
		}
	}
}

// A row must not grow with how often the expression makes its edges.
func TestRowsHoldEveryLabelOnce(t *testing.T) {
	var e *Term
	for i := range 1000 {
		label := SetOf([]string{"c", "d"}[i%2])
		e = Connect(nil, e, Connect(label, Vertices([]string{"a", "a"}), Vertices([]string{"b", "b"})))
	}
	f := e.Form()
	rows := NewTable(f, Ranks(f.Names()))
	require.Equal(t, []int32{1}, rows.Row(0))
	require.Len(t, rows.entries, 2)
	require.Equal(t, SetOf("c", "d"), rows.Label(1))
	require.Empty(t, rows.Row(1))
}

func TestUnionOfASubsetIsTheOtherSet(t *testing.T) {
	s, u := SetOf("a", "b", "c"), SetOf("b")
	require.True(t, s.Union(u).Is(s))
	require.True(t, u.Union(s).Is(s))
	require.True(t, s.Union(nil).Is(s))
	require.Zero(t, testing.AllocsPerRun(10, func() { u.Union(s) }))
}
