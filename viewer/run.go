package viewer

import (
	"net/http"
	"strconv"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

func itoa(n int) string { return strconv.Itoa(n) }

// runPage is an attempt at a run.
type runPage struct {
	RunID    string
	Name     string
	Status   string // of the run
	Damage   string
	Attempt  int // from 1
	Attempts []attemptLink
	Outcome  string // of the attempt
	Error    string
	Began    time.Time
	Length   string
	Counts   []count
	Rows     []row
	Earlier  string // links to the rows before and after
	Later    string
	From, To int
	Total    int
	Panel    *panelPage
}

type attemptLink struct {
	N      int
	Status string
	Link   string
	On     bool
	Gap    bool // some are left out before it
}

// count is how many steps have a status.
type count struct {
	Status string
	N      int
}

func (v *viewer) run(w http.ResponseWriter, r *http.Request) error {
	rec, err := v.read(r)
	if err != nil {
		return err
	}
	p := &runPage{RunID: rec.id, Damage: rec.damage, Status: string(damaged)}
	if len(rec.history.Attempts) > 0 {
		if p, err = v.runPage(rec, r); err != nil {
			return err
		}
	}
	return v.show(w, http.StatusOK, "run.html", frame{
		Heading: rec.id, Tab: "run", Follow: link("events", "id", rec.id, "after", rec.mark.seq), Data: p,
	})
}

func (v *viewer) runPage(rec *record, r *http.Request) (*runPage, error) {
	at, err := rec.attempt(r)
	if err != nil {
		return nil, err
	}
	now := v.now()
	a := rec.history.Attempts[at]
	p := &runPage{
		RunID: rec.id, Name: a.Entry.Name, Status: string(rec.status(now)), Damage: rec.damage,
		Attempt: at + 1, Attempts: rec.attemptLinks(at, now), Outcome: string(rec.statusOf(at, now)), Began: a.Began,
	}
	if a.End != nil {
		p.Error = a.End.Error
	}
	f := newFall(rec, at, now)
	p.Length = span(f.end.Sub(f.began))
	p.rows(f, r)
	p.Panel, err = v.panelPage(rec, f, r.FormValue("step"))
	return p, err
}

// rowsPerPage is how many steps one page shows.
const rowsPerPage = 3000

// rows puts the steps of one page into p.
func (p *runPage) rows(f *fall, r *http.Request) {
	all := f.rows()
	p.Total = len(all)
	p.Counts = counted(all)
	from := min(number(r, "from", 1)-1, max(0, len(all)-1))
	to := min(from+rowsPerPage, len(all))
	p.Rows, p.From, p.To = all[from:to], min(from+1, to), to
	if from > 0 {
		p.Earlier = link("run", "id", p.RunID, "attempt", p.Attempt, "from", max(1, from+1-rowsPerPage))
	}
	if to < len(all) {
		p.Later = link("run", "id", p.RunID, "attempt", p.Attempt, "from", to+1)
	}
	for i := range p.Rows {
		p.Rows[i].Selected = p.Rows[i].Place == r.FormValue("step")
	}
}

func counted(rows []row) []count {
	numbers := map[string]int{}
	for _, r := range rows {
		numbers[r.Status]++
	}
	var counts []count
	for _, status := range []string{journal.Executed, journal.Cached, journal.Errored, journal.Waiting, journal.Started} {
		if n := numbers[status]; n > 0 {
			counts = append(counts, count{status, n})
		}
	}
	return counts
}

// nearAttempts is how many attempts beside the one shown have a link.
const nearAttempts = 4

// attemptLinks are the first attempt, the last one, and those around one.
func (rec *record) attemptLinks(at int, now time.Time) []attemptLink {
	var links []attemptLink
	last := len(rec.history.Attempts) - 1
	gap := false
	for i := range rec.history.Attempts {
		if i != 0 && i != last && (i < at-nearAttempts || i > at+nearAttempts) {
			gap = true
			continue
		}
		links = append(links, attemptLink{
			N: i + 1, Status: string(rec.statusOf(i, now)), On: i == at, Gap: gap,
			Link: link("run", "id", rec.id, "attempt", i+1),
		})
		gap = false
	}
	return links
}
