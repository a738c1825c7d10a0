package agentgraph

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// wires is what the vertices of a graph post to and subscribe to, as numbers.
type wires struct {
	names   []Name  // sorted
	in, out []int32 // of each name: a set
	sets    *channelSets
}

// wire reads the wiring off an expression. A vertex on the left of a connect
// posts to its label, one on the right subscribes to it, so labels are handed
// down from the root to the vertices. It costs O(size log size), and as much
// again as the channels of all vertices when these differ.
func wire(g Graph) *wires {
	f := g.linear()
	w := &wires{sets: newChannelSets(f.labels())}
	seen := nameIndex{names: make([]Name, 0, min(len(f.words), g.Size()))}
	type handed struct{ in, out int32 }
	down := make([]handed, len(f.ops))
	var in, out merging
	for i := len(f.ops) - 1; i >= 0; i-- {
		op, h := f.ops[i], down[i]
		if !op.isLeaf() {
			label := w.sets.of(f.label(op))
			l := &down[op.left]
			*l = handed{w.sets.union(l.in, h.in), w.sets.union(l.out, w.sets.union(h.out, label))}
			r := &down[op.right] // left and right may be one
			*r = handed{w.sets.union(r.in, w.sets.union(h.in, label)), w.sets.union(r.out, h.out)}
			continue
		}
		for _, name := range f.names(op) {
			vertex := seen.number(name)
			in.add(vertex, h.in)
			out.add(vertex, h.out)
		}
	}
	w.names = seen.names
	w.in, w.out = in.sets(w.sets), out.sets(w.sets)
	w.sort()
	return w
}

// merging gathers the sets of vertices that occur more than once, so that each
// vertex's are joined in one go.
type merging struct {
	first []int32 // by vertex
	more  []joining
}

type joining struct{ vertex, set int32 }

func (m *merging) add(vertex, set int32) {
	switch {
	case int(vertex) == len(m.first):
		m.first = append(m.first, set)
	case m.first[vertex] == 0:
		m.first[vertex] = set
	case set != 0 && set != m.first[vertex]:
		m.more = append(m.more, joining{vertex, set})
	}
}

// sets returns the set of each vertex.
func (m *merging) sets(s *channelSets) []int32 {
	slices.SortFunc(m.more, func(a, b joining) int { return cmp.Or(cmp.Compare(a.vertex, b.vertex), cmp.Compare(a.set, b.set)) })
	more := slices.Compact(m.more)
	var together []ChannelSet
	for i := 0; i < len(more); {
		vertex := more[i].vertex
		together = append(together[:0], s.sets[m.first[vertex]])
		for ; i < len(more) && more[i].vertex == vertex; i++ {
			together = append(together, s.sets[more[i].set])
		}
		m.first[vertex] = s.find(unionOf(together))
	}
	return m.first
}

// labels returns about how many labels a form has.
func (f form) labels() int {
	n := 0
	var last span
	for _, op := range f.ops {
		if !op.isLeaf() && !op.isEmpty() && op.span != last {
			last = op.span
			n++
		}
	}
	return n
}

// sort brings the names in order; they often are already, or the other way round.
func (w *wires) sort() {
	if slices.IsSorted(w.names) {
		return
	}
	slices.Reverse(w.names)
	slices.Reverse(w.in)
	slices.Reverse(w.out)
	if slices.IsSorted(w.names) {
		return
	}
	order := make([]int32, len(w.names))
	for i := range order {
		order[i] = int32(i)
	}
	names := w.names
	slices.SortFunc(order, func(a, b int32) int { return compareNames(names[a], names[b]) })
	w.names, w.in, w.out = permuted(w.names, order), permuted(w.in, order), permuted(w.out, order)
}

func permuted[T any](s []T, order []int32) []T {
	p := make([]T, len(s))
	for i, from := range order {
		p[i] = s[from]
	}
	return p
}

// compareNames is strings.Compare, which the compiler inlines here.
func compareNames(a, b Name) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// nameIndex numbers names in the order in which they come. Names that come in
// order, as generated ones often do, are not looked up.
type nameIndex struct {
	numbers map[Name]int32 // nil as long as each name came before or after all others
	names   []Name
	last    int32
}

func (x *nameIndex) number(name Name) int32 {
	if int(x.last) < len(x.names) && x.names[x.last] == name {
		return x.last
	}
	id, ok := x.find(name)
	if !ok {
		id = int32(len(x.names))
		x.names = append(x.names, name)
		if x.numbers != nil {
			x.numbers[name] = id
		}
	}
	x.last = id
	return id
}

func (x *nameIndex) find(name Name) (int32, bool) {
	if x.numbers == nil {
		if x.inOrder(name) {
			return 0, false
		}
		x.numbers = make(map[Name]int32, 2*len(x.names))
		for i, known := range x.names {
			x.numbers[known] = int32(i)
		}
	}
	id, ok := x.numbers[name]
	return id, ok
}

// inOrder says whether a name goes on with a list that only rises or only falls.
func (x *nameIndex) inOrder(name Name) bool {
	n := len(x.names)
	if n < 2 {
		return n == 0 || name != x.names[0]
	}
	if x.names[0] < x.names[1] {
		return x.names[n-1] < name
	}
	return name < x.names[n-1]
}

// channelSets numbers channels, and sets of them, so that equal ones have one
// number. Set 0 is the empty set.
type channelSets struct {
	channels map[Channel]int32
	names    []Channel // by channel number
	single   []int32   // by channel number: the set of it alone, 0 for not yet
	sets     []ChannelSet
	members  [][]int32        // by set: channel numbers, in order of name
	many     map[string]int32 // sets of two or more, by their members
	unions   map[[2]int32]int32
	last     ChannelSet // the label looked up last, and its set
	lastSet  int32
	slab     []int32
}

// newChannelSets makes room for so many labels.
func newChannelSets(labels int) *channelSets {
	return &channelSets{
		channels: make(map[Channel]int32, labels),
		names:    make([]Channel, 0, labels),
		single:   make([]int32, 0, labels),
		sets:     make([]ChannelSet, 1, labels+1),
		members:  make([][]int32, 1, labels+1),
		many:     map[string]int32{},
		unions:   map[[2]int32]int32{},
	}
}

// of returns the number of a set.
func (s *channelSets) of(set ChannelSet) int32 {
	n := len(set.names)
	if n == 0 {
		return 0
	}
	if n == len(s.last.names) && &set.names[0] == &s.last.names[0] {
		return s.lastSet
	}
	s.last = set
	s.lastSet = s.find(set)
	return s.lastSet
}

func (s *channelSets) find(set ChannelSet) int32 {
	if len(set.names) == 1 {
		c := s.channel(set.names[0])
		if s.single[c] == 0 {
			s.single[c] = s.add(set, s.one(c))
		}
		return s.single[c]
	}
	members := make([]int32, len(set.names))
	key := make([]byte, 0, 4*len(set.names))
	for i, name := range set.names {
		members[i] = s.channel(name)
		key = binary.LittleEndian.AppendUint32(key, uint32(members[i]))
	}
	id, ok := s.many[string(key)]
	if !ok {
		id = s.add(set, members)
		s.many[string(key)] = id
	}
	return id
}

func (s *channelSets) add(set ChannelSet, members []int32) int32 {
	s.sets = append(s.sets, set)
	s.members = append(s.members, members)
	return int32(len(s.sets) - 1)
}

// one returns a slice of one channel, cut from a larger array.
func (s *channelSets) one(c int32) []int32 {
	if len(s.slab) == 0 {
		s.slab = make([]int32, 256)
	}
	m := s.slab[:1:1]
	s.slab = s.slab[1:]
	m[0] = c
	return m
}

func (s *channelSets) channel(name Channel) int32 {
	c, ok := s.channels[name]
	if !ok {
		c = int32(len(s.names))
		s.channels[name] = c
		s.names = append(s.names, name)
		s.single = append(s.single, 0)
	}
	return c
}

func (s *channelSets) union(a, b int32) int32 {
	switch {
	case a == b, b == 0:
		return a
	case a == 0:
		return b
	case a > b:
		a, b = b, a
	}
	key := [2]int32{a, b}
	id, ok := s.unions[key]
	if !ok {
		id = s.find(s.sets[a].Union(s.sets[b]))
		s.unions[key] = id
	}
	return id
}
