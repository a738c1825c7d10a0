package schedule

import (
	"cmp"
	"math"
	"slices"
)

// Place says where in the schedule a turn stands: in which pass of the top room
// and at which entry, and below that in which pass of the room inside it, and so
// on. Places are ordered, and the turns of a meeting are taken in that order. A
// node's turn stands before all that happens inside it.
type Place struct {
	slot
	below []slot // never written to once it is made
}

type slot struct {
	pass  int64
	entry int32
}

// before is the place of what waits when the work ahead begins, never is that of
// a turn which will not come.
func before() Place { return Place{slot: slot{-1, math.MaxInt32}} }
func never() Place  { return Place{slot: slot{math.MaxInt64, 0}} }

func (s slot) compare(t slot) int {
	if s.pass != t.pass {
		return cmp.Compare(s.pass, t.pass)
	}
	return cmp.Compare(s.entry, t.entry)
}

func (p Place) compare(q Place) int {
	if c := p.slot.compare(q.slot); c != 0 {
		return c
	}
	if len(p.below) == 0 && len(q.below) == 0 {
		return 0
	}
	return slices.CompareFunc(p.below, q.below, slot.compare)
}

func (p Place) less(q Place) bool {
	if p.pass != q.pass {
		return p.pass < q.pass
	}
	if p.entry != q.entry {
		return p.entry < q.entry
	}
	return (len(p.below) != 0 || len(q.below) != 0) && p.compare(q) < 0
}

func earlier(p, q Place) Place {
	if q.less(p) {
		return q
	}
	return p
}

func later(p, q Place) Place {
	if p.less(q) {
		return q
	}
	return p
}

// after returns the first slot of an entry that is later than the place. The
// entry's room is depth nodes deep, and the place is in that room, deeper inside
// it, or the turn of the node around it.
func (p Place) after(entry int32, depth int) Place {
	if p.pass == math.MaxInt64 {
		return p
	}
	if depth == 0 {
		return Place{slot: p.slot.after(entry)}
	}
	next := slot{0, entry}
	if len(p.below) >= depth {
		next = p.below[depth-1].after(entry)
	}
	below := make([]slot, depth)
	copy(below, p.below[:depth-1])
	below[depth-1] = next
	return Place{p.slot, below}
}

func (s slot) after(entry int32) slot {
	if entry > s.entry {
		return slot{s.pass, entry}
	}
	return slot{s.pass + 1, entry}
}
