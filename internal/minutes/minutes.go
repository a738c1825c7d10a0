// Package minutes puts the log of a durable meeting together from what a journal
// tells of it: the posts as the meeting has stamped them, and the turns in which
// they came.
//
// Bodies stay JSON texts. An agent that chose its channels is taken at its word:
// the journal holds turns only after they were checked.
package minutes

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// ErrNone: a step is not a meeting, or not one that has begun.
var ErrNone = errors.New("no meeting there")

// ErrAstray: the entries of a meeting do not fit together.
var ErrAstray = errors.New("turns of the meeting do not fit together")

// Minutes are what was said in a meeting, as far as one attempt has come.
type Minutes struct {
	Step   *journal.Step
	Roster []journal.Shape
	Posts  []Post // the log
	Turns  []Turn
}

// Turn is a turn of an agent, or something that came from outside.
type Turn struct {
	Agent string // empty for what came from outside: the inputs, which come first, and answers at seats
	N     int    // which of the agent's turns
	Input ID     // the post that it took
	First int    // the place in the log of the first post that came of it,
	Posts int    // and how many there are
	Mark  journal.Mark
	Seat  string // of an answer
}

// Paths returns the paths of the meetings of an attempt, in the order of its tree,
// those that were skipped included.
func Paths(h *journal.History, attempt int) []string {
	var paths []string
	meetings := map[int]bool{}
	for _, a := range h.Attempts {
		for _, e := range a.Entries {
			if e.Kind == journal.KindMeeting {
				meetings[e.To] = true
			}
		}
	}
	each(h.Tree(attempt), func(n *journal.Node) {
		if n.Step != nil && meetings[n.Step.ID] {
			paths = append(paths, n.Step.Path)
		}
	})
	return paths
}

func each(nodes []*journal.Node, visit func(*journal.Node)) {
	for _, n := range nodes {
		visit(n)
		each(n.Children, visit)
	}
}

// Read returns the minutes of the meeting at the path of a step, from an attempt,
// counted from 0; of one that was skipped in it, from when it was held. It is
// ErrNone where there is no meeting, and ErrAstray, with what comes before, where
// its entries contradict each other. While it goes on, and after its process was
// killed, the last turns stand in the order in which they were written, which with
// Options.Parallel may not be that of the log. It costs O(the journal), and for each
// answer what waits at seats.
func Read(h *journal.History, attempt int, path string) (*Minutes, error) {
	var step *journal.Step
	each(h.Tree(attempt), func(n *journal.Node) {
		if n.Step != nil && n.Step.Path == path {
			step = n.Step
		}
	})
	if step == nil {
		return nil, fmt.Errorf("%w: %q", ErrNone, path)
	}
	for _, e := range h.Attempts[step.Attempt].Entries {
		if e.Kind == journal.KindMeeting && e.To == step.ID {
			return read(h, step, e)
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrNone, path)
}

func read(h *journal.History, step *journal.Step, begun *journal.Entry) (*Minutes, error) {
	m := &Minutes{Step: step}
	if err := json.Unmarshal(begun.Value, &m.Roster); err != nil {
		return nil, fmt.Errorf("%w: roster: %w", ErrAstray, err)
	}
	var inputs []Post
	if err := json.Unmarshal(begun.Inputs, &inputs); err != nil {
		return nil, fmt.Errorf("%w: inputs: %w", ErrAstray, err)
	}
	c := newClerk(h, m)
	c.outside(Turn{}, inputs)
	for _, mark := range h.Marks(step.Attempt, step.ID) {
		if err := c.turn(mark); err != nil {
			return m, err
		}
	}
	return m, c.close()
}
