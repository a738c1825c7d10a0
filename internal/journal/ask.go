package journal

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// question is what an answer is bound to.
type question struct {
	step, seat string
	sum        canon.Digest
}

func questionOf(ask *Entry) question {
	sum, _ := canon.Sum(ask.Value) // it was read as JSON
	return question{ask.Step, ask.Seat, sum}
}

// Asked returns the latest question of a step, or of a seat of a meeting, unless the
// run has gone on from there; then nil.
func (h *History) Asked(path, seat string) *Entry {
	for i := len(h.asks) - 1; i >= 0; i-- {
		if e := h.asks[i]; e.Step == path && e.Seat == seat {
			if h.waits(e) {
				return e
			}
			return nil
		}
	}
	return nil
}

// HasSeat says whether a step is a meeting that has begun, with a seat of this path,
// and is not over.
func (h *History) HasSeat(path, seat string) bool {
	m := h.meetings[path]
	if m == nil || h.ended[path] >= m.To {
		return false
	}
	var shape []Shape
	return json.Unmarshal(m.Value, &shape) == nil && hasSeat(shape, seat)
}

// Shape is an entry of a meeting's roster.
type Shape struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	In      []string `json:"in,omitempty"`
	Out     []string `json:"out,omitempty"`
	Scope   string   `json:"scope,omitempty"` // what its agent's own names of channels begin with, if it was flattened
	Entries []Shape  `json:"entries,omitempty"`
}

func hasSeat(shape []Shape, seat string) bool {
	return slices.ContainsFunc(shape, func(s Shape) bool {
		return s.Name == seat && s.Kind == "external" || hasSeat(s.Entries, seat)
	})
}

// waits says whether the step that asked has not ended well since.
func (h *History) waits(ask *Entry) bool { return h.ended[ask.Step] < ask.To }

// answered tells where the last answer to each question stands.
func (h *History) answered() map[question]uint64 {
	last := map[question]uint64{}
	for _, answers := range h.answers { // the order does not show
		for _, e := range answers {
			if ask := h.byID[e.To]; ask != nil {
				q := questionOf(ask)
				last[q] = max(last[q], e.Seq)
			}
		}
	}
	return last
}

// Open returns the questions of the last attempt that have no answer. One that was
// asked since its answer was refused has none.
func (h *History) Open() []*Entry {
	answered := h.answered()
	var open []*Entry
	seen := map[[2]string]bool{} // step and seat
	for i := len(h.asks) - 1; i >= 0; i-- {
		e := h.asks[i]
		at := [2]string{e.Step, e.Seat}
		if e.By != h.Attempts[len(h.Attempts)-1].Entry.By {
			break
		}
		if seen[at] || !h.waits(e) {
			continue
		}
		seen[at] = true
		if e.Seat != "" {
			e = h.open(e)
		} else if answer := answered[questionOf(e)]; answer > 0 && (e.Error == "" || answer > e.Seq) {
			e = nil
		}
		if e != nil {
			open = append(open, e)
		}
	}
	return open
}

// AnsweredAfter says whether anything was answered after an entry.
func (h *History) AnsweredAfter(seq uint64) bool {
	for _, answers := range h.answers {
		if len(answers) > 0 && answers[len(answers)-1].Seq > seq {
			return true
		}
	}
	return false
}

// Answers returns what was answered to a step, or to seats of a meeting, the oldest
// first.
func (h *History) Answers(path string) []*Entry { return h.answers[path] }

// Line is a draft as a line that an outsider may append.
func (h *History) Line(d *Draft) Line {
	return Line{Time: time.Now(), Kind: d.Kind, Data: h.encode(d)}
}
