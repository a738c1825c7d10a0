package review

import (
	"slices"
	"testing"
)

// Parts may be under way together, and the lead tells their answers apart.
func TestByPart(t *testing.T) {
	answer := func(n int, message string) Post {
		return Post{Body: Body{Review: &Review{Portion{N: n}, []Finding{{Message: message}}}}}
	}
	these, others := byPart([]Post{answer(1, "a"), answer(2, "b"), answer(1, "c")}, 1)
	if got := messages(these); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("these: %v", got)
	}
	if got := messages(others); !slices.Equal(got, []string{"b"}) {
		t.Errorf("others: %v", got)
	}
}

func messages(posts []Post) []string {
	var all []string
	for _, p := range posts {
		for _, f := range p.Body.Review.Findings {
			all = append(all, f.Message)
		}
	}
	return all
}
