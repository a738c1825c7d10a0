package expr

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestIndexNumbersNames: in whatever order names come, each has the number of
// its first coming, and only those that came are found.
func TestIndexNumbersNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[ab]{0,3}`)).Draw(t, "names")
		switch rapid.IntRange(0, 2).Draw(t, "order") {
		case 0:
			slices.SortFunc(names, shortFirst)
		case 1:
			slices.SortFunc(names, func(a, b string) int { return shortFirst(b, a) })
		}
		var x index
		var known []string
		for _, name := range names {
			want := slices.Index(known, name)
			_, found := x.find(name)
			require.Equal(t, want >= 0, found, name)
			if want < 0 {
				want = len(known)
				known = append(known, name)
			}
			require.Equal(t, int32(want), x.number(name))
		}
		for want, name := range known {
			number, found := x.find(name)
			require.True(t, found)
			require.Equal(t, int32(want), number)
		}
		require.Equal(t, known, x.names)
	})
}

func TestIndexNeedsNoMapForNumberedNames(t *testing.T) {
	up, down := index{}, index{}
	hops := []string{"hop.1", "hop.2", "hop.9", "hop.10", "hop.11", "hop.100"}
	for i, name := range hops {
		up.number(name)
		down.number(hops[len(hops)-1-i])
	}
	require.Nil(t, up.numbers)
	require.Nil(t, down.numbers)
	up.number("hop.3")
	require.NotNil(t, up.numbers)
}
