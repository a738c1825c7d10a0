package expr

import (
	"slices"
	"strings"
)

// Sets numbers channels, and sets of them, so that equal ones have one number.
// Set 0 is the empty set. Most sets have one channel, and there can be millions
// of those, so members stand in one array and names are not kept twice.
type Sets struct {
	channels index
	from     []int32 // set i has the members from[i]:from[i+1]
	members  []int32

	single  []int32  // of each channel: the set of it alone, 0 for not yet
	many    interned // sets of two or more
	spelled []Set    // by number: those sets; nil for others
	unions  map[[2]int32]int32
	last    Set // the label looked up last, and its set
	lastSet int32

	scratch []int32
	letters []string // room for sets to be spelled
}

// newSets makes room for so many labels.
func newSets(labels int) *Sets {
	return &Sets{
		channels: index{names: make([]string, 0, labels)},
		from:     append(make([]int32, 0, labels+2), 0, 0),
		members:  make([]int32, 0, labels),
		single:   make([]int32, 0, labels),
	}
}

// Channels returns the names of all channels, by number.
func (s *Sets) Channels() []string { return s.channels.names }

// Channel returns the number of a channel. It costs O(log channels).
func (s *Sets) Channel(name string) (int32, bool) { return s.channels.find(name) }

// Members returns the numbers of a set's channels, in order of name.
func (s *Sets) Members(set int32) []int32 { return s.members[s.from[set]:s.from[set+1]] }

// Packed returns the members of all sets: those of set i are members[from[i]:from[i+1]].
func (s *Sets) Packed() (from, members []int32) { return s.from, s.members }

// Names returns a set as names. It allocates nothing.
func (s *Sets) Names(set int32) Set {
	members := s.Members(set)
	switch len(members) {
	case 0:
		return nil
	case 1:
		c := members[0]
		return s.channels.names[c : c+1 : c+1]
	}
	return s.spelled[set]
}

// Member returns the number of a channel of a set by its name.
func (s *Sets) Member(set int32, name string) (int32, bool) {
	members := s.Members(set)
	i, found := slices.BinarySearchFunc(members, name, func(c int32, name string) int {
		return strings.Compare(s.channels.names[c], name)
	})
	if !found {
		return 0, false
	}
	return members[i], true
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
	members := s.scratch[:0]
	for _, name := range set {
		members = append(members, s.channel(name))
	}
	s.scratch = members
	return s.number(members)
}

// join returns the union of sets.
func (s *Sets) join(sets ...int32) int32 {
	members := s.scratch[:0]
	for _, set := range sets {
		members = append(members, s.Members(set)...)
	}
	slices.SortFunc(members, func(a, b int32) int { return compareNames(s.channels.names[a], s.channels.names[b]) })
	s.scratch = members
	return s.number(slices.Compact(members))
}

// number returns the set with these members, which are in order of name.
func (s *Sets) number(members []int32) int32 {
	switch len(members) {
	case 0:
		return 0
	case 1:
		return s.alone(members[0])
	}
	slot, id := s.many.find(s, members)
	if id == 0 {
		id = s.add(members...)
		s.spell(id)
		s.many.put(slot, id)
	}
	return id
}

// alone returns the set of one channel.
func (s *Sets) alone(c int32) int32 {
	if s.single[c] == 0 {
		s.single[c] = s.add(c)
	}
	return s.single[c]
}

func (s *Sets) add(members ...int32) int32 {
	s.members = append(s.members, members...)
	s.from = append(s.from, int32(len(s.members)))
	return int32(len(s.from) - 2)
}

// spell writes down the names of a set.
func (s *Sets) spell(id int32) {
	members := s.Members(id)
	if cap(s.letters)-len(s.letters) < len(members) {
		s.letters = make([]string, 0, max(256, len(members)))
	}
	from := len(s.letters)
	for _, c := range members {
		s.letters = append(s.letters, s.channels.names[c])
	}
	s.spelled = slices.Grow(s.spelled, int(id)+1-len(s.spelled))[:id+1]
	s.spelled[id] = slices.Clip(s.letters[from:])
}

func (s *Sets) channel(name string) int32 {
	c := s.channels.number(name)
	if int(c) == len(s.single) {
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
		id = s.join(a, b)
		if s.unions == nil {
			s.unions = map[[2]int32]int32{}
		}
		s.unions[key] = id
	}
	return id
}
