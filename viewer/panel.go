package viewer

import (
	"net/http"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// panelPage is all about one step, or, without a step, about an attempt.
type panelPage struct {
	RunID   string
	Attempt int
	Place   string
	Name    string
	Path    string
	Agent   string
	Status  string
	Error   string
	Why     string
	Began   time.Time
	Length  string
	Meeting string // link

	Extra   []valueView
	Changes []change
	States  []valueView
	Input   []valueView // of an attempt
	Hidden  int         // how many more changes and inputs there are

	Turn *turnView
}

// turnView is what a turn of a meeting took and gave.
type turnView struct {
	Took    string
	Outputs *valueView
	State   *valueView
}

// change is an artifact before and after a step.
type change struct {
	Name          string
	Kind          string // "added", "removed" or "changed"
	Lines         []line // nil where a value is too long to compare
	Before, After *valueView
}

// mostValues is how many changes a panel shows.
const mostValues = 100

func (v *viewer) panel(w http.ResponseWriter, r *http.Request) error {
	rec, err := v.read(r)
	if err != nil {
		return err
	}
	at, err := rec.attempt(r)
	if err != nil {
		return err
	}
	p, err := v.panelPage(rec, newFall(rec, at, v.now()), r.FormValue("step"))
	if err != nil {
		return err
	}
	return v.show(w, http.StatusOK, "panel.html", frame{Data: p})
}

func (v *viewer) panelPage(rec *record, f *fall, at string) (*panelPage, error) {
	p := &panelPage{RunID: rec.id, Attempt: f.attempt + 1, Place: at}
	if at == "" {
		p.overview(rec, f)
		return p, nil
	}
	n := find(f.tree, at)
	if n == nil {
		return nil, missing("Attempt %d of run %q has no step at %q.", f.attempt+1, rec.id, at)
	}
	row := f.row(n)
	p.Name, p.Agent, p.Status, p.Error, p.Began, p.Length, p.Meeting = n.Name, n.Agent, n.Status, n.Error, n.At, row.Length, row.Meeting
	p.why(rec.history.Explain(f.attempt))
	switch {
	case n.Step != nil:
		p.step(n)
	case n.Turn != nil:
		p.turn(n.Turn)
	}
	return p, nil
}

// overview is about the attempt as a whole: what it was given, and what it left.
func (p *panelPage) overview(rec *record, f *fall) {
	before, after := rec.bounds(f.attempt)
	for name, value := range before.All() {
		p.Input = append(p.Input, view(name, value.Raw, p.link(ofInput, name)))
	}
	p.changes(before, after)
	if len(p.Input) > mostValues {
		p.Hidden += len(p.Input) - mostValues
		p.Input = p.Input[:mostValues]
	}
}

// why finds the reason in a list of all, as they say it in one sentence.
func (p *panelPage) why(reasons []journal.Reason) {
	for _, r := range reasons {
		if place(r.Node.Index) == p.Place {
			p.Path, p.Why = r.Path, because(r)
			return
		}
	}
}

func because(r journal.Reason) string {
	switch {
	case r.Node.Status == journal.Cached:
		return "Skipped: it was executed in attempt " + itoa(r.Attempt+1) + " with the same input."
	case r.Attempt < 0:
		return "Ran: no earlier run of it is recorded."
	case r.Open:
		return "Ran: it had not ended well in attempt " + itoa(r.Attempt+1) + "."
	case r.Same():
		return "Ran: its input is that of attempt " + itoa(r.Attempt+1) + ", but a turn is not recorded as its agent takes it now."
	}
	var parts []string
	if len(r.Artifacts) > 0 {
		parts = append(parts, "artifacts "+diagram.VisibleList(r.Artifacts))
	}
	parts = append(parts, r.Also...)
	return "Ran: since attempt " + itoa(r.Attempt+1) + " its input changed: " + strings.Join(parts, ", ") + "."
}

func (p *panelPage) link(of, name string) string {
	return link("value", "id", p.RunID, "attempt", p.Attempt, "step", p.Place, "of", of, "name", name)
}

func (p *panelPage) step(n *journal.Node) {
	for _, name := range n.Extra {
		if value := n.In.Get(name); value != nil {
			p.Extra = append(p.Extra, view(name, value.Raw, p.link(ofInput, name)))
		}
	}
	p.changes(n.Step.In, n.Step.Out)
	for name, state := range n.Step.Left.All() {
		p.States = append(p.States, view(name, state.Raw, p.link(ofStates, name)))
	}
}

// changes tells what a step, or an attempt, did to the artifacts.
func (p *panelPage) changes(before, after snapshot.Map) {
	all := snapshot.Changed(before, after)
	for _, c := range all[:min(mostValues, len(all))] {
		p.Changes = append(p.Changes, p.change(c))
	}
	p.Hidden += len(all) - len(p.Changes)
}

func (p *panelPage) change(c snapshot.Change) change {
	d := change{Name: c.Name, Kind: "changed"}
	texts := [2]string{}
	long := false
	if c.Before != nil {
		b := view(c.Name, c.Before.Raw, p.link(ofInput, c.Name))
		d.Before, texts[0], long = &b, b.Text, b.Cut
	}
	if c.After != nil {
		a := view(c.Name, c.After.Raw, p.link(ofOutput, c.Name))
		d.After, texts[1], long = &a, a.Text, long || a.Cut
	}
	switch {
	case c.Before == nil:
		d.Kind = "added"
	case c.After == nil:
		d.Kind = "removed"
	}
	if !long && d.Kind == "changed" {
		d.Lines = compared(texts[0], texts[1])
	}
	return d
}

func (p *panelPage) turn(e *journal.Entry) {
	t := &turnView{Took: e.Post}
	if e.Value != nil {
		o := view("outputs", e.Value, p.link(ofTurn, "outputs"))
		t.Outputs = &o
	}
	if e.State != nil {
		s := view("state", e.State, p.link(ofTurn, "state"))
		t.State = &s
	}
	p.Turn = t
}
