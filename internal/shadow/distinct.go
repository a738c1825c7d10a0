package shadow

import (
	"cmp"
	"slices"
)

// distinct counts the vertices of stretches, each once. It goes over the
// sequence from left to right and keeps, in a Fenwick tree, a one at the last
// place of each vertex so far. It costs O(n log n).
func (s *search) distinct(stretches []stretch) []int {
	counts := make([]int, len(stretches))
	var order []int32
	for i, t := range stretches {
		if counts[i] = t.len(); counts[i] > 1 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(stretches[a].to, stretches[b].to) })
	tree := make([]int32, len(s.sequence)+1)
	put := func(at int, n int32) {
		for at++; at < len(tree); at += at & -at {
			tree[at] += n
		}
	}
	before := func(at int32) (n int32) {
		for ; at > 0; at &= at - 1 {
			n += tree[at]
		}
		return n
	}
	last := make([]int, len(s.Names))
	at := 0
	for _, i := range order {
		t := stretches[i]
		for ; at < int(t.to); at++ {
			v := s.sequence[at]
			if last[v] > 0 {
				put(last[v]-1, -1)
			}
			last[v] = at + 1
			put(at, 1)
		}
		counts[i] = int(before(t.to) - before(t.from))
	}
	return counts
}
