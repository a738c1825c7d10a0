package agentgraph

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// shadowShown is how many shadow edges of one channel are named.
const shadowShown = 100

// shadowLimits bound the search for shadow edges.
type shadowLimits struct {
	pairs  int // edges to be written down
	work   int // steps to be taken where there are more
	gather int // steps to bring together what a Connect joins
}

func usualLimits() shadowLimits { return shadowLimits{pairs: 1 << 23, work: 1 << 28, gather: 1 << 25} }

// shadow is a channel over which some hear others though no edge joins them.
type shadow struct {
	channel int32
	shown   []pair // ranks of speaker and hearer, in order of hearer
	count   int
	partial bool
}

// shadows reports the shadow edges of all sites. Those of one graph are looked
// for once.
func (s *surveyed) shadows(w *web) []Finding {
	for _, c := range s.charts {
		c.shadowed = shadowsOf(c.form, c.Wires, usualLimits())
	}
	var findings []Finding
	for _, at := range w.sites {
		c, prefix := s.charts[at.chart], prefixOf(at.path)
		for _, sh := range c.shadowed {
			channels := Channels(prefix + c.Sets.Channels[sh.channel])
			f := Finding{Kind: LintShadow, Path: at.path, Channels: channels, Count: sh.count, Partial: sh.partial}
			for _, p := range sh.shown {
				hearer := prefix + c.Names[p.to]
				f.Shadows = append(f.Shadows, Edge{prefix + c.Names[p.from], hearer, channels})
				f.Names = append(f.Names, hearer)
			}
			f.Names = sorted(f.Names)
			findings = append(findings, f)
		}
	}
	return findings
}

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

// shadowSearch looks for shadow edges in one graph. Over a channel, everyone who
// posts to it is heard by everyone who subscribes; what of that no rectangle
// covers is shadow.
type shadowSearch struct {
	*expr.Wires
	limits     shadowLimits
	sequence   []int32 // ranks
	rectangles []rectangle
	places     packed.Lists[int32] // of each vertex, in the sequence
	gathered   int                 // steps taken to write scattered vertices down
	unique     bool                // rectangles do not overlap
	posters    [][]int32           // of each suspect channel, by rank
	hearers    [][]int32
}

func shadowsOf(f expr.Form, w *expr.Wires, limits shadowLimits) []shadow {
	s := &shadowSearch{Wires: w, limits: limits}
	suspects, measured := s.suspects(f)
	if !measured {
		found := make([]shadow, len(suspects))
		for i, ch := range suspects {
			found[i] = shadow{channel: ch, partial: true}
		}
		return found
	}
	s.populate(suspects)
	few := sort.Search(len(suspects), func(n int) bool {
		return s.covered(suspects[:n+1]) > limits.pairs
	})
	found := s.exactly(suspects[:few])
	if few == len(suspects) {
		return found
	}
	s.findPlaces()
	for _, ch := range suspects[few:] {
		if sh := s.roughly(ch, limits.work/(len(suspects)-few)); sh.count > 0 || sh.partial {
			found = append(found, sh)
		}
	}
	return found
}

// suspects returns the channels that have several posters and several hearers
// and no rectangle to join them all, those with fewest pairs first. It is false,
// and all channels with several of both stay suspect, if the rectangles cannot be
// measured.
func (s *shadowSearch) suspects(f expr.Form) (suspects []int32, measured bool) {
	posters, hearers := make([]int, len(s.Sets.Channels)), make([]int, len(s.Sets.Channels))
	for v := range s.Names {
		for _, ch := range s.Sets.Members[s.Out[v]] {
			posters[ch]++
		}
		for _, ch := range s.Sets.Members[s.In[v]] {
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
			strings.Compare(s.Sets.Channels[a], s.Sets.Channels[b]),
		)
	})
	return suspects, true
}

// coveredAlone says which channels have a rectangle that joins all their posters
// to all their hearers.
func (s *shadowSearch) coveredAlone(posters, hearers []int) []bool {
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

// measure lays the vertices out in a sequence and finds the rectangles in it. It
// is false if that is too much work.
func (s *shadowSearch) measure(f expr.Form) bool {
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
			if s.gathered > s.limits.gather {
				return false
			}
			label := s.Sets.Members[s.Sets.Of(f.Label(o))]
			s.rectangles = append(s.rectangles, rectangle{places[o.Left], places[o.Right], label})
		}
		places[i] = places[o.Left].and(places[o.Right])
	}
	s.unique = len(s.sequence) == len(s.Names) && !slices.ContainsFunc(f.Uses(), func(n int32) bool { return n > 1 })
	return true
}

// scattered is the place of a node whose vertices are no stretch.
func scattered() stretch { return stretch{-1, -1} }

// and returns the stretch of both, if they meet.
func (s stretch) and(t stretch) stretch {
	if s == scattered() || t == scattered() || s.to < t.from || t.to < s.from {
		return scattered()
	}
	return stretch{min(s.from, t.from), max(s.to, t.to)}
}

// gather writes the vertices of a scattered node down once more, as a stretch.
func (s *shadowSearch) gather(f expr.Form, places []stretch, node int32) stretch {
	var all []int32
	seen := map[int32]bool{}
	todo := []int32{node}
	for len(todo) > 0 && s.gathered+len(all)+len(seen) <= s.limits.gather {
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

// distinct counts the vertices of stretches, each once. It goes over the
// sequence from left to right and keeps, in a Fenwick tree, a one at the last
// place of each vertex so far. It costs O(n log n).
func (s *shadowSearch) distinct(stretches []stretch) []int {
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

// populate lists who posts to the suspect channels and who hears them.
func (s *shadowSearch) populate(suspects []int32) {
	s.posters, s.hearers = make([][]int32, len(s.Sets.Channels)), make([][]int32, len(s.Sets.Channels))
	suspect := make([]bool, len(s.Sets.Channels))
	for _, ch := range suspects {
		suspect[ch] = true
	}
	for v := range int32(len(s.Names)) {
		for _, ch := range s.Sets.Members[s.Out[v]] {
			if suspect[ch] {
				s.posters[ch] = append(s.posters[ch], v)
			}
		}
		for _, ch := range s.Sets.Members[s.In[v]] {
			if suspect[ch] {
				s.hearers[ch] = append(s.hearers[ch], v)
			}
		}
	}
}

// marked returns the places in the sequence of everyone who posts to some of the
// channels or hears some, and for every place how many are before it.
func (s *shadowSearch) marked(lists [][]int32, channels []int32) (places, before []int32) {
	in := make([]bool, len(s.Names))
	for _, ch := range channels {
		for _, v := range lists[ch] {
			in[v] = true
		}
	}
	before = make([]int32, len(s.sequence)+1)
	for i, v := range s.sequence {
		before[i] = int32(len(places))
		if in[v] {
			places = append(places, int32(i))
		}
	}
	before[len(s.sequence)] = int32(len(places))
	return places, before
}

// covered is how many edges there are at most from posters of the channels to
// hearers of the channels, times the number of channels that two may share.
func (s *shadowSearch) covered(channels []int32) int {
	_, posters := s.marked(s.posters, channels)
	_, hearers := s.marked(s.hearers, channels)
	most := int64(s.limits.pairs) + 1
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
func (s *shadowSearch) shared(channels []int32) int64 {
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

// exactly finds the shadows of some channels from all edges between their
// posters and hearers.
func (s *shadowSearch) exactly(channels []int32) []shadow {
	edges := s.edges(channels)
	joined := map[int32]int{}
	posts, hears := s.byAgent(s.posters, channels), s.byAgent(s.hearers, channels)
	for _, e := range edges {
		few, many := posts[e.from], hears[e.to]
		if len(few) > len(many) {
			few, many = many, few
		}
		for _, ch := range few {
			if _, found := slices.BinarySearch(many, ch); found {
				joined[ch]++
			}
		}
	}
	var found []shadow
	for _, ch := range channels {
		sh := shadow{channel: ch, count: len(s.posters[ch])*len(s.hearers[ch]) - joined[ch]}
		if sh.count == 0 {
			continue
		}
		for _, hearer := range s.hearers[ch] {
			for _, poster := range s.posters[ch] {
				if _, found := slices.BinarySearchFunc(edges, pair{poster, hearer}, comparePairs); !found {
					sh.shown = append(sh.shown, pair{poster, hearer})
				}
				if len(sh.shown) == shadowShown {
					break
				}
			}
			if len(sh.shown) == min(shadowShown, sh.count) {
				break
			}
		}
		found = append(found, sh)
	}
	return found
}

// edges returns all edges from posters of the channels to hearers of the
// channels, in order of hearer.
func (s *shadowSearch) edges(channels []int32) []pair {
	froms, postersBefore := s.marked(s.posters, channels)
	tos, hearersBefore := s.marked(s.hearers, channels)
	var edges []pair
	for _, r := range s.rectangles {
		for _, i := range froms[postersBefore[r.left.from]:postersBefore[r.left.to]] {
			for _, j := range tos[hearersBefore[r.right.from]:hearersBefore[r.right.to]] {
				edges = append(edges, pair{s.sequence[i], s.sequence[j]})
			}
		}
	}
	slices.SortFunc(edges, comparePairs)
	return slices.Compact(edges)
}

func comparePairs(a, b pair) int {
	return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from))
}

// byAgent returns for each agent which of the channels list it, sorted.
func (s *shadowSearch) byAgent(lists [][]int32, channels []int32) map[int32][]int32 {
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

// roughly finds what can be found of one channel's shadows with so much work. It
// counts the pairs that rectangles cover, each as often as it is covered, which
// leaves a lower bound of those that they do not; then it looks at hearers one
// by one.
func (s *shadowSearch) roughly(ch int32, work int) shadow {
	sh := shadow{channel: ch, partial: true}
	once := len(s.sequence) + len(s.rectangles) + len(s.posters[ch])
	if once > work {
		return sh
	}
	bound := s.lowerBound(ch)
	counted, tries := 0, work/once
	for i, hearer := range s.hearers[ch] {
		full := len(sh.shown) == shadowShown
		if i == tries || full && s.unique {
			break
		}
		joined := s.joinedTo(s.places.Of(hearer))
		for _, poster := range s.posters[ch] {
			if joined[poster] {
				continue
			}
			if counted++; len(sh.shown) < shadowShown {
				sh.shown = append(sh.shown, pair{poster, hearer})
			}
		}
		sh.partial = i+1 < len(s.hearers[ch])
	}
	sh.count = max(counted, bound)
	sh.partial = sh.partial && !s.unique
	return sh
}

func (s *shadowSearch) findPlaces() {
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
func (s *shadowSearch) lowerBound(ch int32) int {
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
func (s *shadowSearch) joinedTo(places []int32) []bool {
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
