// Package journal is what a resumable run keeps: the entries that it writes, what
// they mean when they are read again, and the writer that puts them into a log.
//
// An entry holds what has changed since a state that the log knows, and refers to
// a value that stands in the log already, so that it is as long as what was done.
// Entries that hold a state have numbers, by which others refer to them.
package journal

import (
	"encoding/json"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// The kinds of entries.
const (
	KindAttempt = "attempt" // a run begins; it owns the log from here
	KindBegin   = "begin"   // a step has begun whose end is written later
	KindStep    = "step"    // a step ended well
	KindFail    = "fail"    // a step ended in an error, or waits for an answer
	KindSkip    = "skip"    // steps that were skipped, one after the other
	KindMeeting = "meeting" // what a meeting begins with
	KindTurn    = "turn"    // an agent of a meeting took a turn
	KindTook    = "took"    // the turns of a meeting, in the order in which they count
	KindAsk     = "ask"     // a step, or a meeting's seat, waits for an answer
	KindAnswer  = "answer"  // from outside
	KindAlive   = "alive"   // nothing has ended for a while, but the run goes on
	KindEnd     = "end"     // a run has ended
)

// How a run or a step can end.
const (
	Done    = "done"
	Failed  = "failed"
	Waits   = "waiting"
	Stopped = "stopped"
	Begun   = "begun" // a turn that lasts
	Apart   = "apart" // a skipped step whose agent or extras are not those from when it was done
)

// Entry is one of any kind; each uses some of the fields.
type Entry struct {
	Kind string `json:"-"`
	Seq  uint64 `json:"-"`
	By   string `json:"by,omitempty"` // the attempt that wrote it; none for an answer

	ID    int    `json:"id,omitempty"`    // its number
	At    int64  `json:"at,omitempty"`    // microseconds since the attempt began
	Step  string `json:"step,omitempty"`  // path
	Index []int  `json:"index,omitempty"` // place in the tree
	Agent string `json:"agent,omitempty"` // of an agent step, or of a turn

	On    int               `json:"on,omitempty"`    // the state that Given starts from
	Given *Delta            `json:"given,omitempty"` // what a step begins with; an attempt's input
	Extra []string          `json:"extra,omitempty"` // names of extra input artifacts
	Also  map[string]string `json:"also,omitempty"`  // digests of what else counts as input

	Set    *Delta `json:"set,omitempty"`    // what a step has changed
	States *Delta `json:"states,omitempty"` // in which it left its agents
	Status string `json:"status,omitempty"` // how it ended
	Error  string `json:"error,omitempty"`

	Name   string `json:"name,omitempty"`   // of what an attempt runs
	Format int    `json:"format,omitempty"` // of the log, in an attempt

	Of  []int   `json:"of,omitempty"`  // skip: the steps; took: the turns
	Ats []int64 `json:"ats,omitempty"` // the time of each, as At

	To      int             `json:"to,omitempty"`    // answer: the ask; ask, turn, took: the step of the meeting
	N       int             `json:"n,omitempty"`     // turn: which of the agent's
	Post    string          `json:"post,omitempty"`  // turn: the post that it took
	Seat    string          `json:"seat,omitempty"`  // ask, answer
	Wants   string          `json:"wants,omitempty"` // ask: the kind of answer; none: anything may do
	Value   json.RawMessage `json:"value,omitempty"` // ask: question; answer; turn: outputs; meeting: roster
	State   json.RawMessage `json:"state,omitempty"` // turn: the agent's state after it
	Heard   json.RawMessage `json:"heard,omitempty"` // turn: a list of what a Tape has added to its history; none: the post
	Inputs  json.RawMessage `json:"inputs,omitempty"`
	Rooms   []string        `json:"rooms,omitempty"`   // turn: the nodes that its agent is in, the outermost first
	Answers []uint64        `json:"answers,omitempty"` // of a meeting that is done: those that it used
	Nodes   [][]int         `json:"nodes,omitempty"`   // took: for each turn the turns of the nodes that it is in
}

// Delta is what has to be changed about a set of values.
type Delta struct {
	Put map[string]json.RawMessage `json:"put,omitempty"`
	Ref map[string]Ref             `json:"ref,omitempty"` // values that stand elsewhere
	Del []string                   `json:"del,omitempty"`
}

// Ref says where a value stands: in the state of a step, under a name.
type Ref struct {
	ID   int
	Part Part
	Name string
}

// Part is one of the sets of values of an entry.
type Part int

// The parts of an entry.
const (
	Given Part = iota
	Set
	States
)

// UnmarshalJSON reads a list.
func (r *Ref) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&r.ID, &r.Part, &r.Name})
}

// place is where a value was first written.
type place struct {
	value *snapshot.Value
	ref   Ref
}
