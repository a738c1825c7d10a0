package schedule

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBitsetFindsTheNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10_000).Draw(t, "n")
		words := make([]uint64, bitsetWords(n))
		set, rest := newBitset(n, words)
		require.Empty(t, rest)
		model := map[int32]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i := int32(rapid.IntRange(0, n-1).Draw(t, "i"))
			if rapid.Bool().Draw(t, "add") {
				set.add(i)
				model[i] = true
			} else {
				set.remove(i)
				delete(model, i)
			}
			from := int32(rapid.IntRange(0, n).Draw(t, "from"))
			want := None
			for m := range model {
				if m >= from && (want == None || m < want) {
					want = m
				}
			}
			require.Equal(t, want, set.next(from))
			require.Equal(t, model[i], set.has(i))
		}
	})
}

func TestQueueIsFirstInFirstOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s cells
		queues, models := make([]queue, 3), make([][]int, 3)
		for i := range rapid.IntRange(0, 3000).Draw(t, "steps") {
			k := rapid.IntRange(0, 2).Draw(t, "queue")
			if rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				s.push(&queues[k], i)
				require.Equal(t, i, s.newest(&queues[k]))
				models[k] = append(models[k], i)
			} else if len(models[k]) > 0 {
				require.Equal(t, models[k][0], queues[k].first())
				require.Equal(t, models[k][0], s.pop(&queues[k]))
				models[k] = models[k][1:]
			}
			require.Equal(t, len(models[k]) == 0, queues[k].isEmpty())
		}
	})
}

// drawPlace gives places of few values, so that many are close.
func drawPlace(t *rapid.T, name string) Place {
	draw := func() slot {
		return slot{int64(rapid.IntRange(0, 3).Draw(t, name)), int32(rapid.IntRange(0, 3).Draw(t, name))}
	}
	p := Place{slot: draw()}
	for range rapid.IntRange(0, 2).Draw(t, name) {
		p.below = append(p.below, draw())
	}
	return p
}

// TestPlacesAreOrdered: less is a total order in which what is inside a turn comes
// after its beginning and before the next turn.
func TestPlacesAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q, r := drawPlace(t, "p"), drawPlace(t, "q"), drawPlace(t, "r")
		require.False(t, p.less(p))
		require.Equal(t, p.compare(q) < 0, p.less(q))
		require.Equal(t, p.compare(q), -q.compare(p))
		if p.less(q) && q.less(r) {
			require.True(t, p.less(r))
		}
		inside := p.inside(1+len(p.below), 0, 0)
		require.True(t, p.less(inside))
		if p.less(q) && len(q.below) <= len(p.below) {
			require.True(t, inside.less(q))
		}
		require.True(t, before().less(p))
		require.True(t, p.less(never()))
	})
}

// TestAfterIsTheFirstLaterSlot looks for an earlier one.
func TestAfterIsTheFirstLaterSlot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, entry := drawPlace(t, "p"), int32(rapid.IntRange(0, 3).Draw(t, "entry"))
		depth := rapid.IntRange(max(0, len(p.below)-1), len(p.below)+1).Draw(t, "depth")
		next := p.after(entry, depth)
		require.True(t, p.less(next))
		require.Len(t, next.below, depth)
		last := &next.slot
		if depth > 0 {
			last = &next.below[depth-1]
		}
		require.Equal(t, entry, last.entry)
		if last.pass > 0 {
			last.pass--
			require.False(t, p.less(next))
		}
	})
}

func TestTournamentKnowsTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		entries, places := make([]int32, n), make([]Place, n)
		for i := range entries {
			entries[i] = int32(i)
			places[i] = Place{slot: slot{int64(rapid.IntRange(0, 9).Draw(t, "pass")), int32(i)}}
		}
		place := func(e int32) Place { return places[e] }
		tour := newTournament(entries)
		tour.rebuild(place)
		for range 20 {
			order := slices.Clone(entries)
			slices.SortFunc(order, func(a, b int32) int { return places[a].compare(places[b]) })
			first, whose := tour.first()
			require.Equal(t, order[0], whose)
			require.Equal(t, places[whose], first)
			second := never()
			if n > 1 {
				second = places[order[1]]
			}
			require.Equal(t, second, tour.others(order[0]))
			require.Equal(t, first, tour.others(None))
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			places[i].pass += int64(rapid.IntRange(0, 3).Draw(t, "rise"))
			tour.update(int32(i), places[i])
		}
	})
}

func TestHeapGivesPlacesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap
		var all []Place
		for range rapid.IntRange(0, 50).Draw(t, "n") {
			p := drawPlace(t, "p")
			h.push(placed{p, 0})
			all = append(all, p)
		}
		slices.SortFunc(all, Place.compare)
		for _, want := range all {
			require.Zero(t, want.compare(h.pop().at))
		}
		require.Empty(t, h)
	})
}

func TestListsKeepTheirNumbersApart(t *testing.T) {
	l := newLists(1)
	l.items = append(l.items, 7, 8)
	l.close()
	next := l.grow([]int32{2, 0, 1})
	require.Equal(t, []int32{2, 4, 4}, next)
	l.items[next[0]], l.items[next[0]+1], l.items[next[2]] = 1, 2, 3
	require.Equal(t, 5, l.len())
	for i, want := range [][]int32{{}, {7, 8}, {1, 2}, {}, {3}} {
		require.Equal(t, want, l.of(int32(i)))
	}
}
