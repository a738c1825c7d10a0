package viewer

import (
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// width is how long the longest bar is.
const width = 1000

// row is a step, or a turn, of the waterfall.
type row struct {
	Place    string
	Level    int // from 1
	Indent   int
	Name     string
	Agent    string
	Status   string
	Error    string
	At       string // after the attempt began
	Length   string // empty for one that was skipped
	X, W     int    // of its bar
	Parent   bool
	Link     string
	Meeting  string // link to its turns
	Selected bool
}

// fall is the steps of an attempt over time.
type fall struct {
	rec     *record
	attempt int
	tree    []*journal.Node
	began   time.Time
	end     time.Time
	ended   map[*journal.Entry]time.Time // when a turn was written
	meets   map[int]bool                 // the numbers of steps that held a meeting
}

func newFall(rec *record, attempt int, now time.Time) *fall {
	a := rec.history.Attempts[attempt]
	f := &fall{rec: rec, attempt: attempt, tree: rec.history.Tree(attempt), began: a.Began, end: a.Last,
		ended: map[*journal.Entry]time.Time{}, meets: map[int]bool{}}
	for i, e := range a.Entries {
		if e.Kind == journal.KindTurn {
			f.ended[e] = a.Times[i]
		}
	}
	for _, a := range rec.history.Attempts {
		for _, e := range a.Entries {
			if e.Kind == journal.KindMeeting {
				f.meets[e.To] = true
			}
		}
	}
	if rec.statusOf(attempt, now) == agentgraph.RunRunning {
		f.end = now
	}
	return f
}

// over returns when a step ended; of one that goes on, when the attempt did.
func (f *fall) over(n *journal.Node) time.Time {
	end := n.At
	switch {
	case n.Status == journal.Cached:
		return end
	case n.Status == journal.Started:
		return f.end
	case n.Step != nil && n.Step.Attempt == f.attempt:
		end = n.Step.Ended
	case n.Turn != nil:
		end = f.ended[n.Turn]
	}
	for _, c := range n.Children {
		if t := f.over(c); n.Step == nil && t.After(end) {
			end = t
		}
	}
	if end.Before(n.At) {
		return n.At
	}
	return end
}

// rows lists all steps, each before those in it.
func (f *fall) rows() []row {
	var rows []row
	var walk func(nodes []*journal.Node)
	walk = func(nodes []*journal.Node) {
		for _, n := range nodes {
			rows = append(rows, f.row(n))
			walk(n.Children)
		}
	}
	walk(f.tree)
	return rows
}

// deepest is the last level that is indented further.
const deepest = 12

func (f *fall) row(n *journal.Node) row {
	end := f.over(n)
	r := row{
		Place: place(n.Index), Level: len(n.Index), Indent: min(len(n.Index)-1, deepest), Name: n.Name, Agent: n.Agent,
		Status: n.Status, Error: n.Error, At: span(n.At.Sub(f.began)), Parent: len(n.Children) > 0,
	}
	r.Link = link("run", "id", f.rec.id, "attempt", f.attempt+1, "step", r.Place)
	if n.Status != journal.Cached {
		r.Length = span(end.Sub(n.At))
	}
	if f.meets[numberOf(n)] {
		r.Meeting = link("meeting", "id", f.rec.id, "attempt", f.attempt+1, "step", r.Place)
	}
	r.X = f.x(n.At)
	r.W = max(f.x(end)-r.X, 3)
	r.X = min(r.X, width-r.W)
	return r
}

func numberOf(n *journal.Node) int {
	if n.Step == nil {
		return 0
	}
	return n.Step.ID
}

func (f *fall) x(t time.Time) int {
	total := max(f.end.Sub(f.began), time.Microsecond)
	return int(min(max(float64(t.Sub(f.began))/float64(total), 0), 1) * width)
}
