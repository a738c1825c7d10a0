package expr

// marks is a set of numbers that is cleared in O(1).
type marks struct {
	at  []uint32
	now uint32
}

func newMarks(n int) marks { return marks{at: make([]uint32, n), now: 1} }

func (m *marks) clear() {
	if m.now++; m.now == 0 {
		clear(m.at)
		m.now = 1
	}
}

// add is false where i is in the set already.
func (m *marks) add(i int32) bool {
	if m.at[i] == m.now {
		return false
	}
	m.at[i] = m.now
	return true
}
