package agentgraph

import (
	"iter"
	"slices"
)

// ChannelSet is a set of channels. It is immutable, and its zero value is the
// empty set. Under Union the sets are an idempotent commutative monoid.
type ChannelSet struct {
	names []Channel // sorted, unique; nil for none
}

// Channels returns the set of the given channels, in O(n log n).
func Channels(names ...Channel) ChannelSet {
	if len(names) == 0 {
		return ChannelSet{}
	}
	return ChannelSet{sorted(names)}
}

// Union returns the channels of either set, in O(s + t).
func (s ChannelSet) Union(t ChannelSet) ChannelSet {
	if len(t.names) > len(s.names) {
		s, t = t, s
	}
	if t.isSubsetOf(s) {
		return s
	}
	return unionOf([]ChannelSet{s, t})
}

// Contains says whether ch is in the set, in O(log n).
func (s ChannelSet) Contains(ch Channel) bool {
	_, found := slices.BinarySearch(s.names, ch)
	return found
}

// Len returns the number of channels.
func (s ChannelSet) Len() int { return len(s.names) }

// All yields the channels, sorted.
func (s ChannelSet) All() iter.Seq[Channel] { return slices.Values(s.names) }

// Equal says whether both sets have the same channels.
func (s ChannelSet) Equal(t ChannelSet) bool {
	return s.is(t) || slices.Equal(s.names, t.names)
}

// String returns the channels, sorted and quoted: ["a" "b"]. It shows 1,000
// characters at most, and an ellipsis for the rest.
func (s ChannelSet) String() string {
	var t text
	t.label(s)
	return t.String()
}

// is says whether both are one set in memory; it can miss that they are equal.
func (s ChannelSet) is(t ChannelSet) bool {
	if len(s.names) == 0 || len(t.names) == 0 {
		return len(s.names) == len(t.names)
	}
	return len(s.names) == len(t.names) && &s.names[0] == &t.names[0]
}

// compare is some total order.
func (s ChannelSet) compare(t ChannelSet) int {
	if s.is(t) {
		return 0
	}
	return slices.Compare(s.names, t.names)
}

// isSubsetOf costs O(s + t).
func (s ChannelSet) isSubsetOf(t ChannelSet) bool {
	if s.is(t) {
		return true
	}
	if len(s.names) > len(t.names) {
		return false
	}
	rest := t.names
	for _, ch := range s.names {
		for len(rest) > 0 && rest[0] < ch {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != ch {
			return false
		}
	}
	return true
}

// unionOf costs O(n log n) over all the channels, however many sets there are.
func unionOf(sets []ChannelSet) ChannelSet {
	var all []Channel
	for i, s := range sets {
		if i == 0 || !s.is(sets[i-1]) {
			all = append(all, s.names...)
		}
	}
	return Channels(all...)
}
