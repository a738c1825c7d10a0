package expr

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSetsNumberEqualSetsAlike: however a set comes about, it has one number, and
// its names and members are those it was made of.
func TestSetsNumberEqualSetsAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSets(0)
		made := map[string]int32{"": 0}
		keep := func(set Set, number int32) {
			text := ""
			for _, name := range set {
				text += name + ","
			}
			if known, ok := made[text]; ok {
				require.Equal(t, known, number, text)
			}
			made[text] = number
			require.Equal(t, set, s.Names(number))
			for i, name := range set {
				c, found := s.Member(number, name)
				require.True(t, found)
				require.Equal(t, c, s.Members(number)[i])
				require.Equal(t, name, s.Channels()[c])
			}
			_, found := s.Member(number, "z")
			require.False(t, found)
		}
		draw := func() Set {
			return SetOf(rapid.SliceOfN(rapid.StringMatching(`[a-e]{1,2}`), 0, 4).Draw(t, "set")...)
		}
		for range rapid.IntRange(1, 60).Draw(t, "sets") {
			x, y := draw(), draw()
			a, b := s.Of(x), s.Of(y)
			keep(x, a)
			keep(y, b)
			keep(unionOf([]Set{x, y}), s.union(a, b))
			keep(unionOf([]Set{x, y}), s.join(b, a, b))
		}
		numbers := make([]int32, 0, len(made))
		for _, number := range made {
			numbers = append(numbers, number)
		}
		slices.Sort(numbers)
		require.Len(t, slices.Compact(numbers), len(made))
	})
}
