package shadow

import (
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
)

// rectangle is a labelled Connect: an edge from everyone on its left to everyone
// on its right. Each side is a stretch of one long sequence of vertices, so that
// a chain of n Connects takes n and not their square.
type rectangle struct {
	left, right stretch
	label       []int32 // channels
}

// stretch is a part of the sequence; it can name a vertex twice.
type stretch struct{ from, to int32 }

func (s stretch) len() int { return int(s.to - s.from) }

// measure lays the vertices out in a sequence and finds the rectangles in it. It
// is false if that is too much work.
func (s *search) measure(f expr.Form) bool {
	places := make([]stretch, len(f.Ops))
	ranks := expr.Ranks(s.Names)
	for i, o := range f.Ops {
		if o.IsLeaf() {
			places[i].from = int32(len(s.sequence))
			for _, name := range f.Leaf(o) {
				s.sequence = append(s.sequence, ranks[name])
			}
			places[i].to = int32(len(s.sequence))
			continue
		}
		if o.IsConnect() {
			for _, side := range [...]int32{o.Left, o.Right} {
				if places[side] == scattered() {
					places[side] = s.gather(f, places, side)
				}
			}
			if s.gathered > s.limits.Gather {
				return false
			}
			label := s.Sets.Members(s.Sets.Of(f.Label(o)))
			s.rectangles = append(s.rectangles, rectangle{places[o.Left], places[o.Right], label})
		}
		places[i] = places[o.Left].and(places[o.Right])
	}
	s.unique = len(s.sequence) == len(s.Names) && !slices.ContainsFunc(f.Uses(), func(n int32) bool { return n > 1 })
	return true
}

// scattered is the place of a node whose vertices are not a stretch.
func scattered() stretch { return stretch{-1, -1} }

// and returns the stretch of both, if they meet.
func (s stretch) and(t stretch) stretch {
	if s == scattered() || t == scattered() || s.to < t.from || t.to < s.from {
		return scattered()
	}
	return stretch{min(s.from, t.from), max(s.to, t.to)}
}

// gather writes the vertices of a scattered node down once more, as a stretch.
func (s *search) gather(f expr.Form, places []stretch, node int32) stretch {
	var all []int32
	seen := map[int32]bool{}
	todo := []int32{node}
	for len(todo) > 0 && s.gathered+len(all)+len(seen) <= s.limits.Gather {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if p := places[at]; p != scattered() {
			all = append(all, s.sequence[p.from:p.to]...)
			continue
		}
		todo = append(todo, f.Ops[at].Left, f.Ops[at].Right)
	}
	s.gathered += len(all) + len(seen) + 1
	slices.Sort(all)
	from := int32(len(s.sequence))
	s.sequence = append(s.sequence, slices.Compact(all)...)
	return stretch{from, int32(len(s.sequence))}
}
