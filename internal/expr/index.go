package expr

import (
	"cmp"
	"slices"
)

// index numbers names in the order in which they come. Names that come in
// order, as generated ones often do, are not put into a map.
type index struct {
	numbers map[string]int32 // nil as long as each name came before or after all others
	names   []string
	last    int32
}

// number returns the number of a name, which is a new one if it is not known.
func (x *index) number(name string) int32 {
	if int(x.last) < len(x.names) && x.names[x.last] == name {
		return x.last
	}
	if x.numbers == nil && !x.goesOn(name) {
		x.enter()
	}
	id, ok := x.numbers[name]
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

// enter puts all names into a map.
func (x *index) enter() {
	x.numbers = make(map[string]int32, 2*len(x.names))
	for i, name := range x.names {
		x.numbers[name] = int32(i)
	}
}

// find returns the number of a name, if it has one.
func (x *index) find(name string) (int32, bool) {
	if x.numbers != nil {
		id, ok := x.numbers[name]
		return id, ok
	}
	order := shortFirst
	if n := len(x.names); n > 1 && shortFirst(x.names[0], x.names[1]) > 0 {
		order = func(a, b string) int { return shortFirst(b, a) }
	}
	id, ok := slices.BinarySearchFunc(x.names, name, order)
	return int32(id), ok
}

// goesOn says whether a name goes on with a list that only rises or only falls.
func (x *index) goesOn(name string) bool {
	n := len(x.names)
	if n < 2 {
		return n == 0 || name != x.names[0]
	}
	if shortFirst(x.names[0], x.names[1]) < 0 {
		return shortFirst(x.names[n-1], name) < 0
	}
	return shortFirst(name, x.names[n-1]) < 0
}

// shortFirst is the order in which numbered names rise: a.9 is before a.10.
func shortFirst(a, b string) int {
	if len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return compareNames(a, b)
}
