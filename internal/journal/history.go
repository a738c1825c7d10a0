package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// ErrMalformed: an entry is not one that was written here.
var ErrMalformed = errors.New("entry that makes no sense")

// Format is that of the entries. It is written into each attempt.
const Format = 1

// History is what a log tells: what was done, and with what outcome.
type History struct {
	Key      *snapshot.Key
	Attempts []*Attempt

	steps    map[int]*Step
	done     map[known]*Step
	turns    map[Taking]*Entry
	byID     map[int]*Entry // asks, meetings and turns
	asks     []*Entry
	meetings map[string]*Entry // by path: the latest
	answers  map[string][]*Entry
	ended    map[string]int // by path: the number of the last step that ended well
	values   map[canon.Digest]place
	room     []byte // for the text of an entry
	lastID   int
}

// Attempt is one run, and all that it wrote.
type Attempt struct {
	Entry   *Entry
	Began   time.Time
	Entries []*Entry
	Times   []time.Time // of the entries
	End     *Entry      // nil as long as it goes on, and for ever after a crash
	Last    time.Time
}

// Step is what is known of a step in one attempt. A run is a step, too.
type Step struct {
	ID      int
	Attempt int // from 0
	Path    string
	Index   []int
	At      int64
	Agent   string
	Extra   []string
	Also    map[string]string
	Status  string // empty as long as it goes on
	Error   string
	Ended   time.Time
	Answers []uint64 // of a meeting: those that it used

	In   snapshot.Map // the artifacts that it began with
	Out  snapshot.Map // and those that it left, once it is done
	Left snapshot.Map // the states of the agents used in it
}

// known is a step with its input.
type known struct {
	path string
	sum  snapshot.Sum
}

// Taking is a turn with its input: digests of the post and of the agent's state.
type Taking struct {
	Meeting     string // path
	Agent       string
	N           int
	Post, State string
}

// NewHistory returns the history of an empty log.
func NewHistory(key *snapshot.Key) *History {
	return &History{
		Key:      key,
		steps:    map[int]*Step{},
		done:     map[known]*Step{},
		turns:    map[Taking]*Entry{},
		byID:     map[int]*Entry{},
		answers:  map[string][]*Entry{},
		ended:    map[string]int{},
		meetings: map[string]*Entry{},
		values:   map[canon.Digest]place{},
	}
}

// Input is the sum of all that a step depends on.
func (h *History) Input(artifacts snapshot.Map, also []Digest) snapshot.Sum {
	sum := artifacts.Sum()
	for _, p := range also {
		sum = sum.Plus(h.term(p.Name, p.Text))
	}
	return sum
}

// term cannot be that of an artifact, for whose value the digest is not zero.
func (h *History) term(name, digest string) snapshot.Sum {
	return h.Key.Term(name+"\x00"+digest, canon.Digest{})
}

// Find returns the step at a path that was done with this input, or nil.
func (h *History) Find(path string, input snapshot.Sum) *Step { return h.done[known{path, input}] }

// Step returns the step of a number, or nil.
func (h *History) Step(id int) *Step { return h.steps[id] }

// Read takes in what a log has after a place, and returns the new one.
func (h *History) Read(ctx context.Context, log Log, after uint64) (uint64, error) {
	for line, err := range log.Read(ctx, after) {
		if err != nil {
			return after, err
		}
		after = line.Seq
		if err := h.Add(line.Kind, line.Seq, line.Time, line.Data); err != nil {
			return after, err
		}
	}
	return after, nil
}

// Add takes in the next entry of the log. It keeps parts of data, which must not change.
func (h *History) Add(kind string, seq uint64, at time.Time, data json.RawMessage) error {
	e := &Entry{Kind: kind, Seq: seq}
	if err := decode(data, e); err != nil {
		return fmt.Errorf("%w: %d: %w", ErrMalformed, seq, err)
	}
	if err := h.add(e, at); err != nil {
		return fmt.Errorf("%w: %d (%s): %w", ErrMalformed, seq, kind, err)
	}
	return nil
}

func (h *History) add(e *Entry, at time.Time) error {
	switch {
	case e.Kind == KindAttempt:
		return h.begin(e, at)
	case e.Kind == KindAnswer:
		h.answers[e.Step] = append(h.answers[e.Step], e)
		return nil
	case len(h.Attempts) == 0:
		return errors.New("before the first attempt")
	}
	a := h.Attempts[len(h.Attempts)-1]
	if e.By != a.Entry.By {
		return nil // the late word of an owner whose log was deleted
	}
	h.lastID = max(h.lastID, e.ID)
	if err := h.take(e, at); err != nil {
		return err
	}
	a.Entries, a.Times, a.Last = append(a.Entries, e), append(a.Times, at), at
	if e.Kind == KindEnd {
		a.End = e
	}
	return nil
}

// take takes in an entry of the attempt that goes on.
func (h *History) take(e *Entry, at time.Time) error {
	switch e.Kind {
	case KindBegin, KindStep, KindFail:
		return h.step(e, at)
	case KindMeeting:
		return h.meeting(e)
	case KindAsk:
		h.byID[e.ID] = e
		h.asks = append(h.asks, e)
	case KindTurn:
		h.byID[e.ID] = e
		return h.turn(e)
	case KindEnd:
		return h.step(e, at)
	}
	return nil
}

func (h *History) begin(e *Entry, at time.Time) error {
	if e.Format != Format {
		return fmt.Errorf("format %d, where %d is known", e.Format, Format)
	}
	in, err := h.apply(h.Key.Empty(), e.Given, e.ID, Given)
	if err != nil {
		return err
	}
	h.Attempts = append(h.Attempts, &Attempt{Entry: e, Began: at, Last: at})
	h.steps[e.ID] = &Step{ID: e.ID, Attempt: len(h.Attempts) - 1, In: in, Out: in, Left: h.Key.Empty()}
	h.lastID = max(h.lastID, e.ID)
	return nil
}

// step takes in the beginning of a step, its end, or both in one.
func (h *History) step(e *Entry, at time.Time) error {
	s := h.steps[e.ID]
	if s == nil {
		base := h.steps[e.On]
		if base == nil {
			return fmt.Errorf("no state %d", e.On)
		}
		in, err := h.apply(base.Out, e.Given, e.ID, Given)
		if err != nil {
			return err
		}
		s = &Step{
			ID: e.ID, Attempt: len(h.Attempts) - 1, Path: e.Step, Index: e.Index, At: e.At, Agent: e.Agent,
			Extra: e.Extra, Also: e.Also, In: in, Out: in, Left: h.Key.Empty(),
		}
		h.steps[e.ID] = s
	}
	switch e.Kind {
	case KindStep:
		return h.end(s, e, at)
	case KindFail:
		s.Status, s.Error, s.Ended = e.Status, e.Error, at
	}
	return nil
}

func (h *History) end(s *Step, e *Entry, at time.Time) (err error) {
	if s.Out, err = h.apply(s.In, e.Set, e.ID, Set); err != nil {
		return err
	}
	if s.Left, err = h.apply(h.Key.Empty(), e.States, e.ID, States); err != nil {
		return err
	}
	s.Status, s.Ended, s.Answers = Done, at, e.Answers
	h.ended[s.Path] = s.ID
	sum := s.In.Sum()
	for name, digest := range s.Also { // a sum has no order
		sum = sum.Plus(h.term(name, digest))
	}
	h.done[known{s.Path, sum}] = s
	return nil
}

func (h *History) meeting(e *Entry) error {
	if len(e.Of) > 0 {
		same := h.byID[e.Of[0]]
		if same == nil {
			return fmt.Errorf("no meeting %d", e.Of[0])
		}
		e.Value, e.Inputs = same.Value, same.Inputs
	}
	h.byID[e.ID] = e
	h.meetings[e.Step] = e
	return nil
}

func (h *History) turn(e *Entry) error {
	if e.Status != "" {
		return nil // it has only begun, or failed
	}
	s := h.steps[e.To]
	if s == nil {
		return fmt.Errorf("no meeting %d", e.To)
	}
	h.turns[Taking{s.Path, e.Agent, e.N, e.Also["post"], e.Also["state"]}] = e
	return nil
}

// next gives a new number.
func (h *History) next() int {
	h.lastID++
	return h.lastID
}

// Executed counts the steps and turns that ended well, in all attempts.
func (h *History) Executed() int { return len(h.done) + len(h.turns) }
