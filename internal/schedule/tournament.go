package schedule

// tournament keeps the earliest of some places while these change. An update
// costs O(log n).
type tournament struct {
	entries []int32 // whose places they are, ascending
	places  []Place
	winners []int32 // of each inner node, the root first at 1: an index of places
}

func newTournament(entries []int32) tournament {
	n := len(entries)
	return tournament{entries: entries, places: make([]Place, n), winners: make([]int32, n)}
}

// leaf returns which of the places stands at a node.
func (t *tournament) leaf(node int) int32 {
	if node >= len(t.places) {
		return int32(node - len(t.places))
	}
	return t.winners[node]
}

// rebuild is update for all places at once, in O(n).
func (t *tournament) rebuild(place func(entry int32) Place) {
	for i, e := range t.entries {
		t.places[i] = place(e)
	}
	for node := len(t.places) - 1; node >= 1; node-- {
		t.winners[node] = t.play(node)
	}
}

// update changes a place.
func (t *tournament) update(i int32, place Place) {
	t.places[i] = place
	for node := (int(i) + len(t.places)) / 2; node >= 1; node /= 2 {
		winner := t.play(node)
		if winner == t.winners[node] && winner != i {
			return
		}
		t.winners[node] = winner
	}
}

func (t *tournament) play(node int) int32 {
	l, r := t.leaf(2*node), t.leaf(2*node+1)
	if t.places[r].less(t.places[l]) {
		return r
	}
	return l
}

// first returns the earliest place and whose it is; never and None if there are
// no entries.
func (t *tournament) first() (Place, int32) {
	if len(t.entries) == 0 {
		return never(), None
	}
	i := t.leaf(1)
	return t.places[i], t.entries[i]
}

// others returns the earliest place but for that of an entry.
func (t *tournament) others(e int32) Place {
	place, first := t.first()
	if first != e || e == None {
		return place
	}
	best := never()
	for node := int(t.leaf(1)) + len(t.places); node > 1; node /= 2 {
		if other := t.leaf(node ^ 1); t.places[other].less(best) {
			best = t.places[other]
		}
	}
	return best
}
