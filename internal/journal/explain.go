package journal

import (
	"slices"
	"strconv"

	"golang.org/x/exp/maps"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Reason says why a step, or a turn, of an attempt ran, or why it was skipped.
type Reason struct {
	Node      *Node
	Path      string
	Attempt   int // skipped: the one in which it was done; else the one that it is compared with; -1 for none
	Open      bool
	Artifacts []string // whose values are not those of that attempt, sorted
	Also      []string // what else is not, sorted
}

// Same says of a step that ran again that its input is that of the time before. It is
// a meeting then, in which a turn is not recorded as its agent takes it now.
func (r Reason) Same() bool {
	return r.Attempt >= 0 && !r.Open && r.Node.Status != Cached && len(r.Artifacts) == 0 && len(r.Also) == 0
}

// Explain gives the reasons for all steps of an attempt, each before those in it.
// It costs what it tells, and O(the log).
func (h *History) Explain(attempt int) []Reason {
	x := explainer{history: h, before: map[spot]*past{}, numbers: map[string]int{}}
	for i, a := range h.Attempts {
		x.numbers[a.Entry.By] = i
		if i < attempt {
			x.remember(i, a)
		}
	}
	x.walk(h.Tree(attempt))
	return x.reasons
}

// explainer knows what was there before the attempt.
type explainer struct {
	history *History
	before  map[spot]*past
	numbers map[string]int // of attempts, by what their entries bear
	reasons []Reason
}

// spot is where a step, or a turn, is: the path of one can be that of another.
type spot struct {
	path string
	turn bool
}

// past is the last time that a step ended well, and the last time that it ran.
type past struct{ done, ran what }

// what is a step or a turn, and its attempt.
type what struct {
	step    *Step
	turn    *Entry
	attempt int
}

func (w what) none() bool { return w.step == nil && w.turn == nil }

func (x *explainer) remember(i int, a *Attempt) {
	for _, e := range a.Entries {
		switch e.Kind {
		case KindBegin, KindStep, KindFail:
			if s := x.history.steps[e.ID]; e.Step != "" {
				x.at(spot{path: s.Path}).see(what{step: s, attempt: i}, s.Status == Done)
			}
		case KindTurn:
			x.at(spot{x.turnPath(e), true}).see(what{turn: e, attempt: i}, e.Status == "")
		}
	}
}

func (x *explainer) at(s spot) *past {
	p := x.before[s]
	if p == nil {
		p = &past{}
		x.before[s] = p
	}
	return p
}

func (p *past) see(w what, done bool) {
	p.ran = w
	if done {
		p.done = w
	}
}

func (x *explainer) turnPath(e *Entry) string {
	path := Escaped(e.Agent)
	if e.N > 0 {
		path += "#" + strconv.Itoa(e.N)
	}
	if s := x.history.steps[e.To]; s != nil {
		path = s.Path + "/" + path
	}
	return path
}

func (x *explainer) walk(nodes []*Node) {
	for _, n := range nodes {
		switch {
		case n.Step != nil:
			x.reasons = append(x.reasons, x.reason(n, n.Step.Path, what{step: n.Step, attempt: n.Step.Attempt}))
		case n.Turn != nil:
			x.reasons = append(x.reasons, x.reason(n, x.turnPath(n.Turn), what{turn: n.Turn, attempt: x.numbers[n.Turn.By]}))
		}
		x.walk(n.Children)
	}
}

func (x *explainer) reason(n *Node, path string, now what) Reason {
	r := Reason{Node: n, Path: path, Attempt: -1}
	p := x.before[spot{path, now.turn != nil}]
	switch {
	case n.Status == Cached:
		r.Attempt = now.attempt
	case p == nil:
	case p.done.none():
		r.Attempt, r.Open = p.ran.attempt, true
	default:
		r.Attempt = p.done.attempt
		r.compare(p.done, now)
	}
	return r
}

// compare tells what is not as it was.
func (r *Reason) compare(then, now what) {
	if now.turn != nil {
		r.Also = differing(then.turn.Also, now.turn.Also)
		return
	}
	for _, c := range snapshot.Changed(then.step.In, now.step.In) {
		r.Artifacts = append(r.Artifacts, c.Name)
	}
	r.Also = differing(then.step.Also, now.step.Also)
}

// differing returns the keys whose values differ, sorted.
func differing(a, b map[string]string) []string {
	names := append(maps.Keys(a), maps.Keys(b)...)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return a[name] == b[name] })
}
