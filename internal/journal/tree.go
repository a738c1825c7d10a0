package journal

import (
	"slices"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// What can have become of a node.
const (
	Executed = "executed"
	Cached   = "cached"
	Errored  = "error"
	Waiting  = "waiting"
	Started  = "started"
)

// Node is what became of a step, or of a turn of a meeting, in one attempt.
type Node struct {
	Name     string
	Agent    string
	Index    []int
	At       time.Time
	Status   string
	Error    string
	Extra    []string     // names of extra input artifacts,
	In       snapshot.Map // and where their values are
	Step     *Step        // what is known of a step; of a skipped one, from when it was done
	Turn     *Entry       // the same of a turn
	Children []*Node
}

// Tree returns the steps of an attempt.
func (h *History) Tree(attempt int) []*Node {
	a := h.Attempts[attempt]
	var nodes []*Node
	meetings := newCalls(h, a)
	for _, e := range a.Entries {
		switch e.Kind {
		case KindBegin, KindStep, KindFail:
			if e.Step != "" {
				nodes = append(nodes, h.node(a, h.steps[e.ID]))
			}
		case KindSkip:
			nodes = append(nodes, h.skipped(a, e)...)
		case KindTurn, KindTook:
			meetings.add(e)
		}
	}
	return grown(append(nodes, meetings.nodes()...))
}

func (h *History) node(a *Attempt, s *Step) *Node {
	n := &Node{Step: s, Name: nameOf(s.Path), Agent: s.Agent, Index: s.Index, At: a.after(s.At), Extra: s.Extra, In: s.In, Status: Started}
	switch s.Status {
	case Done:
		n.Status = Executed
	case Failed:
		n.Status, n.Error = Errored, s.Error
	case Waits:
		n.Status = Waiting
	}
	return n
}

func (h *History) skipped(a *Attempt, e *Entry) []*Node {
	nodes := make([]*Node, 0, len(e.Of))
	for i, of := range e.Of {
		s := h.steps[of]
		if s == nil || i >= len(e.Ats) || len(e.Index) == 0 {
			continue
		}
		n := h.node(a, s)
		n.Status, n.At, n.Index = Cached, a.after(e.Ats[i]), slices.Clone(e.Index)
		n.Index[len(n.Index)-1] += i
		if e.Status == Apart {
			n.Extra, n.Agent = e.Extra, e.Agent
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func (a *Attempt) after(microseconds int64) time.Time {
	return a.Began.Add(time.Duration(microseconds) * time.Microsecond)
}

// grown puts nodes, in any order, below each other by their index.
func grown(nodes []*Node) []*Node {
	slices.SortStableFunc(nodes, func(x, y *Node) int { return slices.Compare(x.Index, y.Index) })
	var roots []*Node
	var open []*Node // from a root down to the node before
	for _, n := range nodes {
		for len(open) > 0 && !below(n.Index, open[len(open)-1].Index) {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			roots = append(roots, n)
		} else {
			up := open[len(open)-1]
			up.Children = append(up.Children, n)
		}
		open = append(open, n)
	}
	return roots
}

func below(index, above []int) bool {
	return len(index) > len(above) && slices.Equal(index[:len(above)], above)
}

// Escaped is a name as a part of a path.
func Escaped(name string) string {
	if !strings.ContainsAny(name, "/#%") {
		return name
	}
	return strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23").Replace(name)
}

// nameOf is the name of the last step of a path.
func nameOf(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		name = name[:at]
	}
	return strings.NewReplacer("%2F", "/", "%23", "#", "%25", "%").Replace(name)
}
