package viewer

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

const (
	whole = 64 << 10 // the longest value that is shown whole,
	piece = 4 << 10  // and how much is shown of a longer one
)

// valueView is a JSON value on a page.
type valueView struct {
	Name string
	Text string
	Cut  bool
	Size int
	Link string // to all of it
}

func view(name string, raw json.RawMessage, link string) valueView {
	v := valueView{Name: name, Size: len(raw), Link: link}
	v.Text, v.Cut = shown(raw)
	return v
}

// shown is what a page shows of a value, and whether that is only its beginning.
func shown(raw json.RawMessage) (string, bool) {
	if len(raw) <= whole {
		return pretty(raw), false
	}
	return cutText(string(raw[:piece+utf8.UTFMax]), piece), true // no more of it is looked at
}

// cutText is the beginning of a text, without half a character.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// The parts of a step that values can be fetched from.
const (
	ofInput  = "in"
	ofOutput = "out"
	ofStates = "state"
	ofTurn   = "turn"
)

// value sends a value, all of it, as a file.
func (v *viewer) value(w http.ResponseWriter, r *http.Request) error {
	rec, err := v.read(r)
	if err != nil {
		return err
	}
	at, err := rec.attempt(r)
	if err != nil {
		return err
	}
	raw := rec.fetched(at, r.FormValue("step"), r.FormValue("of"), r.FormValue("name"))
	if raw == nil {
		return missing("There is no such value.")
	}
	return download(w, r.FormValue("name"), raw)
}

// fetched is a value of a step, or without a place of the attempt, or nil.
func (rec *record) fetched(attempt int, at, of, name string) json.RawMessage {
	if at == "" {
		before, after := rec.bounds(attempt)
		if of == ofOutput {
			return rawOf(after, name)
		}
		return rawOf(before, name)
	}
	n := find(rec.history.Tree(attempt), at)
	switch {
	case n == nil:
	case n.Turn != nil && of == ofTurn && name == "state":
		return n.Turn.State
	case n.Turn != nil && of == ofTurn && name == "outputs":
		return n.Turn.Value
	case n.Step == nil:
	case of == ofInput && n.Step.In.Get(name) == nil: // an extra one of a skipped step
		return rawOf(n.In, name)
	case of == ofInput:
		return rawOf(n.Step.In, name)
	case of == ofOutput:
		return rawOf(n.Step.Out, name)
	case of == ofStates:
		return rawOf(n.Step.Left, name)
	}
	return nil
}

// bounds are the artifacts that an attempt began and ended with.
func (rec *record) bounds(attempt int) (before, after snapshot.Map) {
	a := rec.history.Attempts[attempt]
	before = rec.history.Step(a.Entry.ID).In
	if a.End == nil {
		return before, before
	}
	if end := rec.history.Step(a.End.ID); end != nil {
		return before, end.In
	}
	return before, before
}

func rawOf(m snapshot.Map, name string) json.RawMessage {
	if v := m.Get(name); v != nil {
		return v.Raw
	}
	return nil
}

// download sends JSON that the browser is to save and not to show.
func download(w http.ResponseWriter, name string, raw json.RawMessage) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", itoa(len(raw)))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(name)}))
	_, _ = w.Write(raw) // whoever asked may be gone
	return nil
}

// fileName is a name of few letters that is safe anywhere.
func fileName(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, name)
	return cutText(safe, 80) + ".json"
}
