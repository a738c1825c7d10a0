package viewer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCompared(t *testing.T) {
	before, after := "a\nb\nc\nd\ne\nf\ng\nh\ni", "a\nb\nc\nd\ne\nF\ng\nh\ni\nj"
	require.Equal(t, []line{
		{"gap", "2 lines the same"}, {"same", "c"}, {"same", "d"}, {"same", "e"}, {"gone", "f"}, {"new", "F"},
		{"same", "g"}, {"same", "h"}, {"same", "i"}, {"new", "j"},
	}, compared(before, after))
}

// TestComparedTellsBoth: from the lines of a comparison both texts can be had.
func TestComparedTellsBoth(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 12), func(l []string) string { return strings.Join(l, "\n") })
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
		var gone, fresh []string
		for _, l := range middle(a, b) {
			if l.Op != "new" {
				gone = append(gone, l.Text)
			}
			if l.Op != "gone" {
				fresh = append(fresh, l.Text)
			}
		}
		require.Equal(t, a, gone)
		require.Equal(t, b, fresh)
	})
}

func TestComparedOfMuch(t *testing.T) {
	a, b := strings.Repeat("a\n", 3000), strings.Repeat("b\n", 3000)
	require.Len(t, compared(a, b), 6001, "replaced, with the last line, which is the same")
}

func TestPretty(t *testing.T) {
	require.Equal(t, "{\n  \"a\": 12345678901234567890,\n  \"b\": \"<\"\n}", pretty(json.RawMessage(`{"b":"<","a":12345678901234567890}`)))
	require.Equal(t, "no", pretty(json.RawMessage("no")))
}
