package schedule

import "slices"

// Refresh makes all bounds as sharp as they can be: it follows every post that
// waits anywhere, and every turn under way, hop by hop to whoever it could lead
// to speak. Places grow with each hop, so the earliest is final when it comes up,
// as in a search for shortest paths. It costs O(n log n) for n entries and their
// channels and returns about how many steps it took.
func (a *Ahead[P]) Refresh() int {
	s := &search[P]{
		a:        a,
		channels: make([]pair, len(a.posters)),
		sayings:  make([]pair, len(a.saying)),
		final:    make([]bool, len(a.v)),
	}
	for i := range s.channels {
		s.channels[i] = pair{None, None}
	}
	for i := range s.sayings {
		s.sayings[i] = pair{None, None}
	}
	for e := range a.v {
		s.begin(int32(e))
	}
	for len(s.next) > 0 {
		x := s.next.pop()
		if !s.final[x.entry] {
			s.settle(x.entry, x.at)
		}
	}
	for _, said := range slices.Backward(a.saying) { // inner rooms have higher numbers
		said.rebuild(a.speaks)
	}
	for _, posted := range a.posters {
		posted.rebuild(a.speaks)
	}
	a.recheck()
	a.stale = false
	return len(a.v) + s.steps
}

// search is one Refresh on its way.
type search[P any] struct {
	a        *Ahead[P]
	next     heap
	channels []pair // by channel: who might speak there first, and who first of the others
	sayings  []pair // by room: the same, for its node
	final    []bool
	steps    int
}

// pair is the two entries from which a source can be reached first.
type pair struct{ first, second int32 }

// begin sets out from what waits at an entry, or from the turn it is taking.
func (s *search[P]) begin(e int32) {
	v := &s.a.v[e]
	switch v.state {
	case running, broken:
		v.bound = v.turn
	case ready, blocked:
		v.bound = s.a.turnOf(e)
	default:
		v.bound = never()
		return
	}
	s.next.push(placed{v.bound, e})
}

func (s *search[P]) settle(e int32, at Place) {
	s.final[e] = true
	x := &s.a.plan.entries[e]
	if x.kind == Node {
		s.a.plan.visitRoom(x.inner, !s.a.open(x.inner), func(y int32) { s.relax(y, at) })
		return
	}
	for {
		for _, c := range s.a.plan.sets.of(x.out) {
			s.offer(&s.channels[c], e, s.a.plan.subs.of(c), at)
		}
		r := &s.a.plan.rooms[x.room]
		if r.node == None || !x.speaks {
			return
		}
		hearing := r.hearing
		if !r.echo {
			hearing = nil
		}
		if !s.offer(&s.sayings[x.room], e, hearing, at) {
			return
		}
		e = r.node
		x = &s.a.plan.entries[e]
	}
}

// offer reaches a source from an entry, and from there everybody who hears it
// but that entry. It says whether this was the first time.
func (s *search[P]) offer(reached *pair, e int32, hearing []int32, at Place) bool {
	switch {
	case reached.first == None:
		reached.first = e
		for _, y := range hearing {
			if y != e {
				s.relax(y, at)
			}
		}
		return true
	case reached.second == None && reached.first != e:
		reached.second = e
		if contains(hearing, reached.first) {
			s.relax(reached.first, at)
		}
	}
	return false
}

// relax notes that an entry might hear something from a place.
func (s *search[P]) relax(e int32, at Place) {
	s.steps++
	if s.final[e] || s.a.plan.entries[e].kind == Seat {
		return
	}
	v := &s.a.v[e]
	if at = s.a.slotAfter(e, later(v.last, at)); at.less(v.bound) {
		v.bound = at
		s.next.push(placed{at, e})
	}
}

// recheck looks again at everybody whose first post was not certain.
func (a *Ahead[P]) recheck() {
	for i := range a.waiting {
		a.waiting[i] = a.waiting[i][:0]
	}
	for e := range a.v {
		if a.v[e].state == blocked {
			a.check(int32(e))
		}
	}
	a.checkAll()
}
