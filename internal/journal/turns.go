package journal

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"
)

// Mark is a turn that counts.
type Mark struct {
	Turn   int // its number
	Agent  string
	Rooms  []string // the paths of the nodes that its agent is in, the outermost first,
	Nodes  []int    // and which turn of each it belongs to
	Cached bool
	Begun  bool // it has not ended
	Loose  bool // it is not noted that it counts, or where
	Error  string
	At     int64
	Entry  *Entry // nil in the attempt itself
}

// Took is the draft that notes turns that count, in order.
func Took(meeting int, marks []Mark) *Draft {
	d := &Draft{}
	d.Kind, d.To = KindTook, meeting
	nested := false
	for _, m := range marks {
		d.Of, d.Ats, d.Nodes = append(d.Of, m.Turn), append(d.Ats, m.At), append(d.Nodes, m.Nodes)
		nested = nested || len(m.Nodes) > 0
	}
	if !nested {
		d.Nodes = nil
	}
	return d
}

// Print is a key that is the same whenever the turn is taken again.
func (t Taking) Print(runID string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %d %s %s", runID, t.Meeting, t.Agent, t.N, t.Post, t.State))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// Turns makes nodes of the turns of a meeting whose step has an index. The turns of
// a nested node are below one of its own, unless all of them were skipped.
func Turns(marks []Mark, index []int, began time.Time) []*Node {
	var nodes []*Node
	for len(marks) > 0 {
		var turn []Mark
		turn, marks = first(marks)
		place := append(slices.Clone(index), len(nodes))
		if len(turn[0].Rooms) == 0 {
			nodes = append(nodes, leaf(turn[0], place, began))
		} else {
			nodes = append(nodes, group(turn, place, began))
		}
	}
	return nodes
}

// first takes those of the first turn, be it an agent's or a node's. Where nothing that
// is known to count comes after a node's, that may go on, and has all of the node.
func first(marks []Mark) (turn, rest []Mark) {
	m, n := marks[0], 1
	if len(m.Rooms) == 0 {
		return marks[:1], marks[1:]
	}
	for n < len(marks) && m.beside(marks[n]) {
		n++
	}
	if n == len(marks) || !marks[n].Loose {
		return marks[:n], marks[n:]
	}
	turn = slices.Clone(marks[:n])
	for _, o := range marks[n:] {
		if m.beside(o) {
			turn = append(turn, o)
		} else {
			rest = append(rest, o)
		}
	}
	return turn, rest
}

// beside says whether two turns belong to one turn of a node.
func (m Mark) beside(o Mark) bool {
	return len(o.Rooms) > 0 && o.Rooms[0] == m.Rooms[0] && (len(o.Nodes) == 0 || len(m.Nodes) == 0 || o.Nodes[0] == m.Nodes[0])
}

func leaf(m Mark, index []int, began time.Time) *Node {
	n := &Node{Name: m.Agent, Agent: m.Agent, Index: index, At: began.Add(time.Duration(m.At) * time.Microsecond), Status: Executed, Turn: m.Entry}
	switch {
	case m.Error != "":
		n.Status, n.Error = Errored, m.Error
	case m.Begun:
		n.Status = Started
	case m.Cached:
		n.Status = Cached
	}
	return n
}

// group is one turn of a node.
func group(marks []Mark, index []int, began time.Time) *Node {
	n := leaf(marks[0], index, began)
	n.Name, n.Agent, n.Turn = marks[0].Rooms[0], "", nil
	inner := slices.Clone(marks)
	n.Status, n.Error = Cached, ""
	for i := range inner {
		m := &inner[i]
		m.Rooms = m.Rooms[1:]
		m.Nodes = m.Nodes[min(1, len(m.Nodes)):]
		switch {
		case m.Error != "":
			n.Status, n.Error = Errored, m.Error
		case m.Begun && n.Status != Errored:
			n.Status = Started
		case !m.Cached && n.Status == Cached:
			n.Status = Executed
		}
	}
	if n.Status != Cached {
		n.Children = Turns(inner, index, began)
	}
	return n
}

// Marks returns the turns that a meeting, by the number of its step, took in an
// attempt, in the order in which they count; those that have begun or failed are
// among them. As long as the meeting has not ended, what was taken but not noted as
// counted comes last; after that it does not count. It costs O(the attempt).
func (h *History) Marks(attempt, meeting int) []Mark {
	a := h.Attempts[attempt]
	c := newCalls(h, a)
	for _, e := range a.Entries {
		if (e.Kind == KindTurn || e.Kind == KindTook) && e.To == meeting {
			c.add(e)
		}
	}
	if s := h.steps[meeting]; s == nil || s.Status == "" {
		c.complete()
	}
	return c.marks[meeting]
}

// calls gathers the turns of the meetings of an attempt.
type calls struct {
	history *History
	attempt *Attempt
	order   []int // the steps of meetings, in the order in which they come up
	marks   map[int][]Mark
	counted map[int]bool
	rest    []*Entry // turns, perhaps counted later
}

func newCalls(h *History, a *Attempt) *calls {
	return &calls{history: h, attempt: a, marks: map[int][]Mark{}, counted: map[int]bool{}}
}

func (c *calls) add(e *Entry) {
	if _, known := c.marks[e.To]; !known {
		c.order = append(c.order, e.To)
		c.marks[e.To] = nil
	}
	if e.Kind == KindTurn {
		c.rest = append(c.rest, e)
		return
	}
	for i, id := range e.Of {
		turn := c.history.byID[id]
		if turn == nil || i >= len(e.Ats) {
			continue
		}
		m := c.mark(turn)
		m.At = e.Ats[i]
		if i < len(e.Nodes) {
			m.Nodes = e.Nodes[i]
		}
		c.marks[e.To] = append(c.marks[e.To], m)
		c.counted[id] = true
	}
}

func (c *calls) mark(e *Entry) Mark {
	return Mark{Turn: e.ID, Agent: e.Agent, Rooms: e.Rooms, Cached: e.By != c.attempt.Entry.By, Begun: e.Status == Begun, Error: e.Error, At: e.At, Entry: e}
}

// complete adds what was taken but, because the process ended, not noted as
// counted, in the order in which it was written.
func (c *calls) complete() {
	for _, e := range c.rest {
		if latest := c.history.byID[e.ID]; latest == e && !c.counted[e.ID] && c.open(e.To) {
			m := c.mark(e)
			m.Loose = true
			c.marks[e.To] = append(c.marks[e.To], m)
		}
	}
}

// nodes gives all of them.
func (c *calls) nodes() []*Node {
	c.complete()
	var nodes []*Node
	for _, id := range c.order {
		if s := c.history.steps[id]; s != nil {
			nodes = append(nodes, flat(Turns(c.marks[id], s.Index, c.attempt.Began))...)
		}
	}
	return nodes
}

// open says whether the step of a meeting has not ended: when it does, all that
// counts has been noted.
func (c *calls) open(meeting int) bool {
	s := c.history.steps[meeting]
	return s != nil && s.Status == ""
}

// flat gives nodes with all below them, for [grown].
func flat(nodes []*Node) []*Node {
	var all []*Node
	for _, n := range nodes {
		below := n.Children
		n.Children = nil
		all = append(append(all, n), flat(below)...)
	}
	return all
}
