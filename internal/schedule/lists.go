package schedule

import "slices"

// lists is many lists of numbers in one array. List i is items[from[i]:from[i+1]].
type lists struct{ from, items []int32 }

// newLists returns n empty lists.
func newLists(n int) lists { return lists{from: make([]int32, n+1)} }

func (l *lists) len() int { return len(l.from) - 1 }

func (l *lists) of(i int32) []int32 { return l.items[l.from[i]:l.from[i+1]] }

// close ends a list that was appended to items.
func (l *lists) close() { l.from = append(l.from, int32(len(l.items))) }

// grow adds lists of the given lengths, to be filled in, and returns where each
// begins. It keeps lengths for that.
func (l *lists) grow(lengths []int32) []int32 {
	l.from = slices.Grow(l.from, len(lengths))
	end := int32(len(l.items))
	for i, n := range lengths {
		lengths[i] = end
		end += n
		l.from = append(l.from, end)
	}
	l.items = slices.Grow(l.items, int(end)-len(l.items))[:end]
	return lengths
}
