// Package packed holds many small lists in one piece of memory.
package packed

// Lists is many lists, one for each number from 0.
type Lists[T comparable] struct {
	from, to []int32
	items    []T
}

// New returns empty lists with room for so many items each. It keeps counts for
// itself.
func New[T comparable](counts []int32) Lists[T] {
	from, total := make([]int32, len(counts)), int32(0)
	for i, n := range counts {
		from[i], counts[i] = total, total
		total += n
	}
	return Lists[T]{from, counts, make([]T, total)}
}

// Len returns how many lists there are.
func (l Lists[T]) Len() int { return len(l.from) }

// Of returns the items of a list, in the order in which they were added.
func (l Lists[T]) Of(i int32) []T { return l.items[l.from[i]:l.to[i]] }

// Add adds an item to a list that has room for it.
func (l Lists[T]) Add(i int32, item T) {
	l.items[l.to[i]] = item
	l.to[i]++
}

// AddNew adds an item unless it is the list's last.
func (l Lists[T]) AddNew(i int32, item T) {
	if l.from[i] == l.to[i] || l.items[l.to[i]-1] != item {
		l.Add(i, item)
	}
}
