package journal

import (
	"encoding/json"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// AskedPost is a post that a seat was asked about: its ID, and the whole.
type AskedPost struct {
	ID   string
	Text json.RawMessage
}

// posts are those that wait at a seat, as an ask has them.
func posts(ask *Entry) []AskedPost {
	var texts []json.RawMessage
	if json.Unmarshal(ask.Value, &texts) != nil {
		return nil
	}
	all := make([]AskedPost, len(texts))
	for i, text := range texts {
		var p struct{ ID string }
		_ = json.Unmarshal(text, &p)
		all[i] = AskedPost{p.ID, text}
	}
	return all
}

// Textless says of the posts that wait at a seat, as an ask has them, that there are
// some and no body is a text. All bodies of a meeting are of one kind, so that no text
// is an answer to them.
func Textless(asked json.RawMessage) bool {
	var posts []struct{ Body json.RawMessage }
	if json.Unmarshal(asked, &posts) != nil || len(posts) == 0 {
		return false
	}
	return !slices.ContainsFunc(posts, func(p struct{ Body json.RawMessage }) bool { return len(p.Body) > 0 && p.Body[0] == '"' })
}

// Meant are the posts that an answer is for: those of the ask that its own cite, if
// each of these cites one; else all.
func Meant(ask, answer *Entry) []AskedPost {
	asked := posts(ask)
	var own []struct{ Thread []string }
	if json.Unmarshal(answer.Value, &own) != nil {
		return asked
	}
	var meant []AskedPost
	for _, p := range asked {
		if slices.ContainsFunc(own, func(o struct{ Thread []string }) bool { return slices.Contains(o.Thread, p.ID) }) {
			meant = append(meant, p)
		}
	}
	for _, o := range own {
		if !slices.ContainsFunc(meant, func(p AskedPost) bool { return slices.Contains(o.Thread, p.ID) }) {
			return asked
		}
	}
	return meant
}

// Remaining are the posts of an ask of a seat that no answer since is for.
func (h *History) Remaining(ask *Entry) []AskedPost {
	meant := map[canon.Digest]bool{}
	for _, a := range h.answers[ask.Step] {
		was := h.byID[a.To]
		if a.Seat != ask.Seat || a.Seq < ask.Seq || was == nil {
			continue
		}
		for _, p := range Meant(was, a) {
			sum, _ := canon.Sum(p.Text)
			meant[sum] = true
		}
	}
	return slices.DeleteFunc(posts(ask), func(p AskedPost) bool {
		sum, _ := canon.Sum(p.Text)
		return meant[sum]
	})
}

// open is the ask with what remains of it; nil when nothing does.
func (h *History) open(ask *Entry) *Entry {
	remaining := h.Remaining(ask)
	if len(remaining) == 0 {
		return nil
	}
	texts := make([]json.RawMessage, len(remaining))
	for i, p := range remaining {
		texts[i] = p.Text
	}
	e := *ask
	e.Value, _ = json.Marshal(texts) // they were read as JSON
	return &e
}

// SeatOf returns the seat of a meeting's step, and all channels of that meeting.
func (h *History) SeatOf(path, seat string) (found Shape, channels []string) {
	m := h.meetings[path]
	var shape []Shape
	if m == nil || json.Unmarshal(m.Value, &shape) != nil {
		return found, nil
	}
	var walk func([]Shape)
	walk = func(entries []Shape) {
		for _, e := range entries {
			channels = append(append(channels, e.In...), e.Out...)
			if e.Name == seat {
				found = e
			}
			walk(e.Entries)
		}
	}
	walk(shape)
	return found, channels
}
