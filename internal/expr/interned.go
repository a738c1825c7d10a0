package expr

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// interned finds sets of two or more by their members. It is a hash table of their
// numbers, which a map would need a key for each.
type interned struct {
	seed  maphash.Seed
	slots []int32 // 0 is free
	used  int
	key   []byte
}

// find returns the set with these members, or 0 and the slot for it.
func (t *interned) find(s *Sets, members []int32) (slot int, set int32) {
	if 2*t.used >= len(t.slots) {
		t.grow(s)
	}
	slot = t.first(members)
	for t.slots[slot] != 0 && !slices.Equal(s.Members(t.slots[slot]), members) {
		slot = (slot + 1) % len(t.slots)
	}
	return slot, t.slots[slot]
}

// first returns where a set is looked for first.
func (t *interned) first(members []int32) int {
	t.key = t.key[:0]
	for _, c := range members {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(c))
	}
	return int(maphash.Bytes(t.seed, t.key) % uint64(len(t.slots)))
}

// put enters a set into its slot.
func (t *interned) put(slot int, set int32) {
	t.slots[slot] = set
	t.used++
}

func (t *interned) grow(s *Sets) {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]int32, max(16, 4*len(old)))
	for _, set := range old {
		if set == 0 {
			continue
		}
		slot := t.first(s.Members(set))
		for t.slots[slot] != 0 {
			slot = (slot + 1) % len(t.slots)
		}
		t.slots[slot] = set
	}
}
