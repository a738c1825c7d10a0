// Package shadow finds who hears whom over a channel though no edge joins them,
// because two edges name one channel. Vertices and channels are numbers, as in
// [expr.Wires].
package shadow

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/digraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// MostShown is how many shadow edges of one channel are named.
const MostShown = 100

// Limits bound the search for shadow edges.
type Limits struct {
	Pairs  int // edges to be written down
	Work   int // steps to be taken where there are more
	Gather int // steps to bring together what a Connect joins
}

// UsualLimits write down some eight million edges at most.
func UsualLimits() Limits { return Limits{Pairs: 1 << 23, Work: 1 << 28, Gather: 1 << 25} }

// Found is a channel over which some hear others though no edge joins them.
type Found struct {
	Channel int32
	Shown   []digraph.Edge // from speaker to hearer, in order of hearer; not all where there are many
	Count   int
	Partial bool // there may be more than Count
}

// search looks for shadow edges in one graph. Over a channel, everyone who
// posts to it is heard by everyone who subscribes; what of that no rectangle
// covers is shadow.
type search struct {
	*expr.Wires
	limits     Limits
	sequence   []int32 // ranks
	rectangles []rectangle
	places     packed.Lists[int32] // of each vertex, in the sequence
	gathered   int                 // steps taken to write scattered vertices down
	unique     bool                // rectangles do not overlap
	posters    [][]int32           // of each suspect channel, by rank
	hearers    [][]int32
}

// Find looks for the shadow edges of one graph, those of each channel together.
func Find(f expr.Form, w *expr.Wires, limits Limits) []Found {
	s := &search{Wires: w, limits: limits}
	suspects, measured := s.suspects(f)
	if !measured {
		found := make([]Found, len(suspects))
		for i, ch := range suspects {
			found[i] = Found{Channel: ch, Partial: true}
		}
		return found
	}
	s.populate(suspects)
	few := sort.Search(len(suspects), func(n int) bool {
		return s.covered(suspects[:n+1]) > limits.Pairs
	})
	found := s.exactly(suspects[:few])
	if few == len(suspects) {
		return found
	}
	s.findPlaces()
	for _, ch := range suspects[few:] {
		if sh := s.roughly(ch, limits.Work/(len(suspects)-few)); sh.Count > 0 || sh.Partial {
			found = append(found, sh)
		}
	}
	return found
}

// suspects returns the channels that have several posters and several hearers
// and no rectangle to join them all, those with fewest pairs first. It is false,
// and all channels with several of both stay suspect, if the rectangles cannot be
// measured.
func (s *search) suspects(f expr.Form) (suspects []int32, measured bool) {
	posters, hearers := make([]int, len(s.Sets.Channels())), make([]int, len(s.Sets.Channels()))
	for v := range s.Names {
		for _, ch := range s.Sets.Members(s.Out[v]) {
			posters[ch]++
		}
		for _, ch := range s.Sets.Members(s.In[v]) {
			hearers[ch]++
		}
	}
	for ch := range posters {
		if posters[ch] > 1 && hearers[ch] > 1 {
			suspects = append(suspects, int32(ch))
		}
	}
	if len(suspects) == 0 {
		return nil, true
	}
	if !s.measure(f) {
		return suspects, false
	}
	covered := s.coveredAlone(posters, hearers)
	suspects = slices.DeleteFunc(suspects, func(ch int32) bool { return covered[ch] })
	slices.SortFunc(suspects, func(a, b int32) int {
		return cmp.Or(
			cmp.Compare(posters[a]*hearers[a], posters[b]*hearers[b]),
			strings.Compare(s.Sets.Channels()[a], s.Sets.Channels()[b]),
		)
	})
	return suspects, true
}

// coveredAlone says which channels have a rectangle that joins all their posters
// to all their hearers.
func (s *search) coveredAlone(posters, hearers []int) []bool {
	sides := make([]stretch, 0, 2*len(s.rectangles))
	for _, r := range s.rectangles {
		sides = append(sides, r.left, r.right)
	}
	counts := s.distinct(sides)
	covered := make([]bool, len(posters))
	for i, r := range s.rectangles {
		for _, ch := range r.label {
			if counts[2*i] == posters[ch] && counts[2*i+1] == hearers[ch] {
				covered[ch] = true
			}
		}
	}
	return covered
}
