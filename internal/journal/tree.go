package journal

import (
	"slices"
	"strings"
	"time"
)

// Node is what became of a step in one attempt.
type Node struct {
	Step     *Step // what is known of it; of a skipped one, from when it was done
	Name     string
	Index    []int
	At       time.Time
	Skipped  bool
	Extra    []string
	Children []*Node
}

// Tree returns the steps of an attempt.
func (h *History) Tree(attempt int) []*Node {
	a := h.Attempts[attempt]
	var nodes []*Node
	for _, e := range a.Entries {
		switch e.Kind {
		case KindBegin, KindStep, KindFail:
			if s := h.steps[e.ID]; e.Step != "" {
				nodes = append(nodes, &Node{Step: s, Name: nameOf(s.Path), Index: s.Index, At: a.after(s.At), Extra: s.Extra})
			}
		case KindSkip:
			nodes = append(nodes, h.skipped(a, e)...)
		}
	}
	return grown(nodes)
}

func (h *History) skipped(a *Attempt, e *Entry) []*Node {
	nodes := make([]*Node, 0, len(e.Of))
	for i, of := range e.Of {
		s := h.steps[of]
		if s == nil || i >= len(e.Ats) || len(e.Index) == 0 {
			continue
		}
		index := slices.Clone(e.Index)
		index[len(index)-1] += i
		extra := s.Extra
		if e.Extra != nil {
			extra = e.Extra
		}
		nodes = append(nodes, &Node{Step: s, Name: nameOf(s.Path), Index: index, At: a.after(e.Ats[i]), Skipped: true, Extra: extra})
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

// nameOf is the name of the last step of a path.
func nameOf(path string) string {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if at := strings.LastIndexByte(name, '#'); at >= 0 {
		name = name[:at]
	}
	return strings.NewReplacer("%2F", "/", "%23", "#", "%25", "%").Replace(name)
}
