package shadow

import (
	"cmp"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/digraph"
)

// exactly finds the shadows of some channels from all edges between their
// posters and hearers.
func (s *search) exactly(channels []int32) []Found {
	edges := s.edges(channels)
	joined := map[int32]int{}
	posts, hears := s.byAgent(s.posters, channels), s.byAgent(s.hearers, channels)
	for _, e := range edges {
		few, many := posts[e.From], hears[e.To]
		if len(few) > len(many) {
			few, many = many, few
		}
		for _, ch := range few {
			if _, found := slices.BinarySearch(many, ch); found {
				joined[ch]++
			}
		}
	}
	var found []Found
	for _, ch := range channels {
		sh := Found{Channel: ch, Count: len(s.posters[ch])*len(s.hearers[ch]) - joined[ch]}
		if sh.Count == 0 {
			continue
		}
		for _, hearer := range s.hearers[ch] {
			for _, poster := range s.posters[ch] {
				if _, found := slices.BinarySearchFunc(edges, digraph.Edge{From: poster, To: hearer}, compareEdges); !found {
					sh.Shown = append(sh.Shown, digraph.Edge{From: poster, To: hearer})
				}
				if len(sh.Shown) == MostShown {
					break
				}
			}
			if len(sh.Shown) == min(MostShown, sh.Count) {
				break
			}
		}
		found = append(found, sh)
	}
	return found
}

// edges returns all edges from posters of the channels to hearers of the
// channels, in order of hearer.
func (s *search) edges(channels []int32) []digraph.Edge {
	froms, postersBefore := s.marked(s.posters, channels)
	tos, hearersBefore := s.marked(s.hearers, channels)
	var edges []digraph.Edge
	for _, r := range s.rectangles {
		for _, i := range froms[postersBefore[r.left.from]:postersBefore[r.left.to]] {
			for _, j := range tos[hearersBefore[r.right.from]:hearersBefore[r.right.to]] {
				edges = append(edges, digraph.Edge{From: s.sequence[i], To: s.sequence[j]})
			}
		}
	}
	slices.SortFunc(edges, compareEdges)
	return slices.Compact(edges)
}

func compareEdges(a, b digraph.Edge) int {
	return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From))
}

// byAgent returns for each agent which of the channels list it, sorted.
func (s *search) byAgent(lists [][]int32, channels []int32) map[int32][]int32 {
	by := map[int32][]int32{}
	channels = slices.Clone(channels)
	slices.Sort(channels)
	for _, ch := range channels {
		for _, v := range lists[ch] {
			by[v] = append(by[v], ch)
		}
	}
	return by
}

// covered is how many edges there are at most from posters of the channels to
// hearers of the channels, times the number of channels that two may share.
func (s *search) covered(channels []int32) int {
	_, posters := s.marked(s.posters, channels)
	_, hearers := s.marked(s.hearers, channels)
	most := int64(s.limits.Pairs) + 1
	shared := s.shared(channels)
	total := int64(0)
	for _, r := range s.rectangles {
		left, right := int64(posters[r.left.to]-posters[r.left.from]), int64(hearers[r.right.to]-hearers[r.right.from])
		if total += left * right; total*shared > most {
			return int(most)
		}
	}
	return int(total * shared)
}

// shared is a bound on how many of the channels one agent posts to that another
// hears.
func (s *search) shared(channels []int32) int64 {
	mostOf := func(lists [][]int32) (most int64) {
		counts := make([]int64, len(s.Names))
		for _, ch := range channels {
			for _, v := range lists[ch] {
				counts[v]++
				most = max(most, counts[v])
			}
		}
		return most
	}
	return min(mostOf(s.posters), mostOf(s.hearers))
}
