package viewer

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
)

// meetingPage is a meeting; what was said is fetched by the page itself.
type meetingPage struct {
	RunID   string
	Attempt int
	Place   string
	Path    string
	Status  string
	Error   string
	Run     string // links
	Data    string
	Posts   string // to one of them, but for its number
}

// held reads the meeting that a request names.
func (v *viewer) held(r *http.Request) (*record, *journal.Node, *minutes.Minutes, error) {
	rec, err := v.read(r)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(rec.history.Attempts) == 0 {
		return nil, nil, nil, missing("Run %q cannot be read: %s", rec.id, rec.damage)
	}
	at, err := rec.attempt(r)
	if err != nil {
		return nil, nil, nil, err
	}
	n := find(rec.history.Tree(at), r.FormValue("step"))
	if n == nil || n.Step == nil {
		return nil, nil, nil, missing("Attempt %d of run %q has no meeting at %q.", at+1, rec.id, r.FormValue("step"))
	}
	m, err := minutes.Read(rec.history, at, n.Step.Path)
	if errors.Is(err, minutes.ErrNone) {
		return nil, nil, nil, missing("The step at %q of run %q held no meeting.", r.FormValue("step"), rec.id)
	}
	if m != nil { // what comes before something astray is shown
		err = nil
	}
	return rec, n, m, err
}

func (v *viewer) meeting(w http.ResponseWriter, r *http.Request) error {
	rec, n, _, err := v.held(r)
	if err != nil {
		return err
	}
	at, _ := rec.attempt(r) // held found it
	params := []any{"id", rec.id, "attempt", at + 1, "step", place(n.Index)}
	p := meetingPage{
		RunID: rec.id, Attempt: at + 1, Place: place(n.Index), Path: n.Step.Path, Status: n.Status, Error: n.Error,
		Run: link("run", params...), Data: link("meeting.json", params...), Posts: link("post", params...),
	}
	return v.show(w, http.StatusOK, "meeting.html", frame{
		Heading: n.Step.Path, Tab: "meeting", Follow: link("events", "id", rec.id, "after", rec.mark.seq), Data: p,
	})
}

func (v *viewer) meetingData(w http.ResponseWriter, r *http.Request) error {
	rec, _, m, err := v.held(r)
	if err != nil {
		return err
	}
	return sendJSON(w, dataOf(m, rec.mark.seq))
}

// post sends the whole body of a post, or as a page can show it.
func (v *viewer) post(w http.ResponseWriter, r *http.Request) error {
	_, _, m, err := v.held(r)
	if err != nil {
		return err
	}
	n := number(r, "n", 0)
	if n < 1 || n > len(m.Posts) {
		return missing("There is no such post.")
	}
	p := m.Posts[n-1]
	if r.FormValue("show") == "" {
		return download(w, p.ID.String(), p.Body)
	}
	text, cut := shown(p.Body)
	return sendJSON(w, map[string]any{"text": marked(text), "cut": cut, "size": size(len(p.Body))})
}

func sendJSON(w http.ResponseWriter, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw) // whoever asked may be gone
	return nil
}
