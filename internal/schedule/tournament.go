package schedule

// tournament keeps the earliest of some entries' places while these change. An
// update costs O(log n).
type tournament struct {
	entries []int32 // ascending
	winners []int32 // of each inner node, the root first at 1: an index of entries
}

func newTournament(entries []int32) tournament {
	return tournament{entries: entries, winners: make([]int32, len(entries))}
}

// leaf returns which of the entries stands at a node.
func (t *tournament) leaf(node int) int32 {
	if node >= len(t.entries) {
		return int32(node - len(t.entries))
	}
	return t.winners[node]
}

// rebuild is update for all entries at once, in O(n).
func (t *tournament) rebuild(place func(entry int32) Place) {
	for node := len(t.entries) - 1; node >= 1; node-- {
		t.winners[node] = t.play(node, place)
	}
}

// update follows a change of the place of entries[i].
func (t *tournament) update(i int32, place func(entry int32) Place) {
	for node := (int(i) + len(t.entries)) / 2; node >= 1; node /= 2 {
		winner := t.play(node, place)
		if winner == t.winners[node] && winner != i {
			return
		}
		t.winners[node] = winner
	}
}

func (t *tournament) play(node int, place func(entry int32) Place) int32 {
	l, r := t.leaf(2*node), t.leaf(2*node+1)
	if place(t.entries[r]).less(place(t.entries[l])) {
		return r
	}
	return l
}

// first returns the entry with the earliest place, or None.
func (t *tournament) first() int32 {
	if len(t.entries) == 0 {
		return None
	}
	return t.entries[t.leaf(1)]
}

// without returns the earliest place of the others, given the first.
func (t *tournament) without(first int32, place func(entry int32) Place) Place {
	best := never()
	for node := int(t.leaf(1)) + len(t.entries); node > 1; node /= 2 {
		best = earlier(best, place(t.entries[t.leaf(node^1)]))
	}
	return best
}
