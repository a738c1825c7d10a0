package expr

import "encoding/binary"

// Sets numbers channels, and sets of them, so that equal ones have one
// number. Set 0 is the empty set.
type Sets struct {
	Channels []string         // by number
	Numbers  map[string]int32 // of channels
	All      []Set            // by number
	Members  [][]int32        // of each set: the numbers of its channels, in order of name

	single  []int32          // of each channel: the set of it alone, 0 for not yet
	many    map[string]int32 // sets of two or more, by their members
	unions  map[[2]int32]int32
	last    Set // the label looked up last, and its set
	lastSet int32
	slab    []int32
}

// newSets makes room for so many labels.
func newSets(labels int) *Sets {
	return &Sets{
		Channels: make([]string, 0, labels),
		Numbers:  make(map[string]int32, labels),
		All:      make([]Set, 1, labels+1),
		Members:  make([][]int32, 1, labels+1),
		single:   make([]int32, 0, labels),
		many:     map[string]int32{},
		unions:   map[[2]int32]int32{},
	}
}

// Of returns the number of a set.
func (s *Sets) Of(set Set) int32 {
	n := len(set)
	if n == 0 {
		return 0
	}
	if n == len(s.last) && &set[0] == &s.last[0] {
		return s.lastSet
	}
	s.last = set
	s.lastSet = s.find(set)
	return s.lastSet
}

func (s *Sets) find(set Set) int32 {
	if len(set) == 1 {
		c := s.channel(set[0])
		if s.single[c] == 0 {
			s.single[c] = s.add(set, s.one(c))
		}
		return s.single[c]
	}
	members := make([]int32, len(set))
	key := make([]byte, 0, 4*len(set))
	for i, name := range set {
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

func (s *Sets) add(set Set, members []int32) int32 {
	s.All = append(s.All, set)
	s.Members = append(s.Members, members)
	return int32(len(s.All) - 1)
}

// one returns a slice of one channel, cut from a larger array.
func (s *Sets) one(c int32) []int32 {
	if len(s.slab) == 0 {
		s.slab = make([]int32, 256)
	}
	m := s.slab[:1:1]
	s.slab = s.slab[1:]
	m[0] = c
	return m
}

func (s *Sets) channel(name string) int32 {
	c, ok := s.Numbers[name]
	if !ok {
		c = int32(len(s.Channels))
		s.Numbers[name] = c
		s.Channels = append(s.Channels, name)
		s.single = append(s.single, 0)
	}
	return c
}

func (s *Sets) union(a, b int32) int32 {
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
		id = s.find(s.All[a].Union(s.All[b]))
		s.unions[key] = id
	}
	return id
}
