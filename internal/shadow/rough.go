package shadow

import (
	"cmp"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/digraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// roughly finds what can be found of one channel's shadows with so much work. It
// counts the pairs that rectangles cover, each as often as it is covered, which
// leaves a lower bound of those that they do not; then it looks at hearers one
// by one.
func (s *search) roughly(ch int32, work int) Found {
	sh := Found{Channel: ch, Partial: true}
	once := len(s.sequence) + len(s.rectangles) + len(s.posters[ch])
	if once > work {
		return sh
	}
	bound := s.lowerBound(ch)
	counted, tries := 0, work/once
	for i, hearer := range s.hearers[ch] {
		full := len(sh.Shown) == MostShown
		if i == tries || full && s.unique {
			break
		}
		joined := s.joinedTo(s.places.Of(hearer))
		for _, poster := range s.posters[ch] {
			if joined[poster] {
				continue
			}
			if counted++; len(sh.Shown) < MostShown {
				sh.Shown = append(sh.Shown, digraph.Edge{From: poster, To: hearer})
			}
		}
		sh.Partial = i+1 < len(s.hearers[ch])
	}
	sh.Count = max(counted, bound)
	sh.Partial = sh.Partial && !s.unique
	return sh
}

func (s *search) findPlaces() {
	counts := make([]int32, len(s.Names))
	for _, v := range s.sequence {
		counts[v]++
	}
	s.places = packed.New[int32](counts)
	for i, v := range s.sequence {
		s.places.Add(v, int32(i))
	}
}

// lowerBound is how many shadow edges a channel has at least; it is how many it
// has where rectangles do not overlap.
func (s *search) lowerBound(ch int32) int {
	_, posters := s.marked(s.posters, []int32{ch})
	_, hearers := s.marked(s.hearers, []int32{ch})
	left := len(s.posters[ch]) * len(s.hearers[ch])
	for _, r := range s.rectangles {
		left -= int(posters[r.left.to]-posters[r.left.from]) * int(hearers[r.right.to]-hearers[r.right.from])
		if left <= 0 {
			return 0
		}
	}
	return left
}

// joinedTo marks everyone with an edge to the vertex at these places, in order.
func (s *search) joinedTo(places []int32) []bool {
	var lefts []stretch
	for _, r := range s.rectangles {
		if i, _ := slices.BinarySearch(places, r.right.from); i < len(places) && places[i] < r.right.to {
			lefts = append(lefts, r.left)
		}
	}
	slices.SortFunc(lefts, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	joined := make([]bool, len(s.Names))
	done := int32(0)
	for _, l := range lefts {
		for i := max(done, l.from); i < l.to; i++ {
			joined[s.sequence[i]] = true
		}
		done = max(done, l.to)
	}
	return joined
}
