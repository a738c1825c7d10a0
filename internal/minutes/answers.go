package minutes

import (
	"encoding/json"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// answers are those that a meeting may have taken. One that is over says which; of
// another they are found out by what waited at the seat, as the meeting does.
type answers struct {
	left  []*journal.Entry
	asks  map[int]*journal.Entry
	known bool   // all that are left were taken, in this order
	until uint64 // what was answered before this was taken, if it could be
}

func answersOf(h *journal.History, step *journal.Step) answers {
	a := answers{asks: map[int]*journal.Entry{}, known: step.Status == journal.Done}
	for _, attempt := range h.Attempts {
		for _, e := range attempt.Entries {
			if e.Kind != journal.KindAsk || e.Step != step.Path {
				continue
			}
			a.asks[e.ID] = e
			if e.To == step.ID {
				a.until = e.Seq
			}
		}
	}
	all := h.Answers(step.Path)
	if !a.known {
		a.left = append(a.left, all...)
		return a
	}
	bySeq := map[uint64]*journal.Entry{}
	for _, e := range all {
		bySeq[e.Seq] = e
	}
	for _, seq := range step.Answers {
		if e := bySeq[seq]; e != nil {
			a.left = append(a.left, e)
		}
	}
	return a
}

// next takes the next answer, one that leads to a post of the seat.
func (a *answers) next(c *clerk, seat string) *journal.Entry {
	for i, e := range a.left {
		if a.known || a.fits(c, e) {
			return a.take(i)
		}
	}
	for i, e := range a.left {
		if e.Seat == seat {
			return a.take(i)
		}
	}
	return nil
}

// last takes the next answer when no more turns follow.
func (a *answers) last(c *clerk) *journal.Entry {
	for i, e := range a.left {
		if a.known || e.Seq < a.until && a.fits(c, e) {
			return a.take(i)
		}
	}
	return nil
}

func (a *answers) take(i int) *journal.Entry {
	e := a.left[i]
	a.left = append(a.left[:i:i], a.left[i+1:]...)
	return e
}

// fits says whether the posts that were answered wait at the seat.
func (a *answers) fits(c *clerk, e *journal.Entry) bool {
	if e.Seat == "" || len(c.waiting[e.Seat]) == 0 {
		return false
	}
	ask := a.asks[e.To]
	if ask == nil {
		return true
	}
	_, ok := c.still(ask, e)
	return ok
}

// still returns the IDs of the posts that an answer is for, if all of them wait.
func (c *clerk) still(ask, a *journal.Entry) ([]ID, bool) {
	asked := journal.Meant(ask, a)
	waiting := map[canon.Digest]ID{}
	for _, place := range c.waiting[ask.Seat] {
		raw, err := json.Marshal(c.minutes.Posts[place])
		if err != nil {
			return nil, false
		}
		if sum, err := canon.Sum(raw); err == nil {
			waiting[sum] = c.minutes.Posts[place].ID
		}
	}
	ids := make([]ID, len(asked))
	for i, p := range asked {
		sum, err := canon.Sum(p.Text)
		if err != nil {
			return nil, false
		}
		id, ok := waiting[sum]
		if !ok {
			return nil, false
		}
		ids[i] = id
	}
	return ids, true
}

// cited is what an answer without a thread is for.
func (c *clerk) cited(a *journal.Entry) []ID {
	if ask := c.answers.asks[a.To]; ask != nil {
		if ids, ok := c.still(ask, a); ok {
			return ids
		}
	}
	ids := make([]ID, len(c.waiting[a.Seat]))
	for i, place := range c.waiting[a.Seat] {
		ids[i] = c.minutes.Posts[place].ID
	}
	return ids
}
