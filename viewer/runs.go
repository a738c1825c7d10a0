package viewer

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// perPage is how many runs one page lists.
const perPage = 50

// runsPage is the list of runs.
type runsPage struct {
	Query    string
	Status   string
	Filters  []filter
	Rows     []runRow
	From, To int // of the rows, from 1
	Total    int // that fit
	All      int
	Page     int
	Earlier  string // links to the pages before and after
	Later    string
	Strange  []string
	Read     progress
}

// progress is how many runs were read, of how many. A list that lacks none says nothing.
type progress struct{ Done, Of int }

func (l listing) progress() progress {
	if l.unread == 0 {
		return progress{}
	}
	return progress{len(l.runs), len(l.runs) + l.unread}
}

// filter is a status that the list can be narrowed to.
type filter struct {
	Name  string
	Count int
	Link  string
	On    bool
}

type runRow struct {
	RunID, Name, Status, Error string
	Attempts, Done             int
	Began, Last                time.Time
	Ago, Length                string
}

// statuses are all that a run can have here, in the order in which they are shown.
func statuses() []agentgraph.RunStatus {
	return []agentgraph.RunStatus{
		agentgraph.RunRunning, agentgraph.RunWaiting, agentgraph.RunAnswered, agentgraph.RunFinished,
		agentgraph.RunFailed, agentgraph.RunInterrupted, damaged,
	}
}

func (v *viewer) runs(w http.ResponseWriter, r *http.Request) error {
	list, err := v.catalog.all(r.Context())
	if err != nil {
		return err
	}
	p := v.runsPage(list, r.FormValue("q"), r.FormValue("status"), number(r, "page", 1))
	shown := map[string]bool{}
	for _, row := range p.Rows {
		shown[row.RunID] = true
	}
	v.catalog.show(shown)
	return v.show(w, http.StatusOK, "runs.html", frame{Heading: "Runs", Tab: "runs", Follow: link("events", "after", list.print(v.now())), Data: p})
}

func (v *viewer) runsPage(list listing, query, status string, page int) runsPage {
	now := v.now()
	p := runsPage{Query: query, Status: status, All: len(list.runs), Strange: list.strange, Read: list.progress()}
	counts := map[agentgraph.RunStatus]int{}
	var fit []int
	for i := range list.runs {
		s := &list.runs[i]
		if !s.matches(query) {
			continue
		}
		stands := s.StatusAt(now)
		counts[stands]++
		if status == "" || status == string(stands) {
			fit = append(fit, i)
		}
	}
	p.Filters = filters(counts, query, status)
	p.Total = len(fit)
	p.Page = min(page, max(1, (len(fit)+perPage-1)/perPage))
	from, to := (p.Page-1)*perPage, min(p.Page*perPage, len(fit))
	p.From, p.To = min(from+1, to), to
	for _, i := range fit[from:to] {
		p.Rows = append(p.Rows, rowOf(&list.runs[i], now))
	}
	if p.Page > 1 {
		p.Earlier = link("./", "q", query, "status", status, "page", p.Page-1)
	}
	if to < len(fit) {
		p.Later = link("./", "q", query, "status", status, "page", p.Page+1)
	}
	return p
}

func filters(counts map[agentgraph.RunStatus]int, query, status string) []filter {
	all := filter{Name: "all", Link: link("./", "q", query), On: status == ""}
	list := []filter{}
	for _, s := range statuses() {
		list = append(list, filter{Name: string(s), Count: counts[s], Link: link("./", "q", query, "status", s), On: status == string(s)})
		all.Count += counts[s]
	}
	return slices.Insert(list, 0, all)
}

// matches says whether the ID or the name has a text in it, in any case.
func (s *summary) matches(query string) bool {
	if query == "" {
		return true
	}
	query = strings.ToLower(query)
	return strings.Contains(strings.ToLower(s.RunID), query) || strings.Contains(strings.ToLower(s.Name), query)
}

func rowOf(s *summary, now time.Time) runRow {
	row := runRow{
		RunID: s.RunID, Name: s.Name, Error: s.Error, Status: string(s.StatusAt(now)),
		Attempts: s.Attempts, Done: s.Done, Began: s.Began, Last: s.Last,
	}
	if !s.Last.IsZero() {
		row.Ago = ago(now.Sub(s.Last))
	}
	return row
}

// ago is how long something is past.
func ago(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return span(d.Truncate(time.Second)) + " ago"
}
