package expr

import "slices"

// Set is a set of strings: sorted, without repeats, and nil for none. It is
// never modified.
type Set []string

// SetOf returns the set of the given strings, in O(n log n). It copies them.
func SetOf(items ...string) Set {
	if len(items) == 0 {
		return nil
	}
	s := append(make([]string, 0, len(items)), items...)
	slices.Sort(s)
	return slices.Clip(slices.Compact(s))
}

// Union returns the items of either set, in O(s + t). It is s or t where that
// has them all.
func (s Set) Union(t Set) Set {
	if len(t) > len(s) {
		s, t = t, s
	}
	if t.IsSubsetOf(s) {
		return s
	}
	return unionOf([]Set{s, t})
}

// Contains says whether the item is in the set, in O(log n).
func (s Set) Contains(item string) bool {
	_, found := slices.BinarySearch(s, item)
	return found
}

// Equal says whether both sets have the same items.
func (s Set) Equal(t Set) bool { return s.Is(t) || slices.Equal(s, t) }

// Is says whether both are one set in memory; it can miss that they are equal.
func (s Set) Is(t Set) bool {
	if len(s) == 0 || len(t) == 0 {
		return len(s) == len(t)
	}
	return len(s) == len(t) && &s[0] == &t[0]
}

// Compare is some total order.
func (s Set) Compare(t Set) int {
	if s.Is(t) {
		return 0
	}
	return slices.Compare(s, t)
}

// IsSubsetOf costs O(s + t).
func (s Set) IsSubsetOf(t Set) bool {
	if s.Is(t) {
		return true
	}
	if len(s) > len(t) {
		return false
	}
	rest := t
	for _, item := range s {
		for len(rest) > 0 && rest[0] < item {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0] != item {
			return false
		}
	}
	return true
}

// Within returns the set with a prefix before each item.
func (s Set) Within(prefix string) Set {
	if prefix == "" || len(s) == 0 {
		return s
	}
	items := make(Set, len(s))
	for i, item := range s {
		items[i] = prefix + item
	}
	return items
}

// unionOf costs O(n log n) over all the items, however many sets there are.
func unionOf(sets []Set) Set {
	var all []string
	for i, s := range sets {
		if i == 0 || !s.Is(sets[i-1]) {
			all = append(all, s...)
		}
	}
	return SetOf(all...)
}
