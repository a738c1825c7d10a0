package agentgraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// RunMeeting runs a meeting as a step, every turn of it a step as well, whose input
// is the post and the state of the agent alone, and returns its log, which stands
// beside an error too. A meeting that was killed at any point and is run again gives
// the log of one that never was, and calls no agent for a turn that was recorded.
// The inputs and the roster's wiring are input of the step. A name or a channel that
// is not valid UTF-8 cannot be written down: it is [ErrBadName] or [ErrBadChannel].
//
// Bodies and states are JSON between turns: what an agent gets is the same whether a
// turn before it ran or was skipped. A turn in a nested node is a child of the
// node's. Middleware sees only the turns that run. A turn's context is not that of
// the step: a Resumable that is invoked in it is a run of its own, without an ID.
//
// Turns that were recorded count for Options.MaxTurns as those that run do, so that a
// limit on the way stops the meeting at the same turn however often it was killed
// before. Only a higher limit takes it further; the count begins anew when an answer
// at a seat lets it go on.
//
// When nothing else can go on and posts wait at seats, it is a *[WaitingError]; see
// [AnswerSeat]. Other errors are those of [Meeting.Run].
func RunMeeting[B any](s *Step, name string, r *Roster[B], inputs []Post[B]) ([]Post[B], error) {
	m, err := newMinutes(r, inputs)
	if err != nil {
		return nil, err
	}
	err = s.do(name, "", work{
		prepare: func(c *Step) error { c.also = m.also; return nil },
		skipped: m.repeat,
		body:    m.hold,
	}, nil)
	return m.log, err
}

// minutes are what is kept of one meeting while it runs.
type minutes[B any] struct {
	roster *Roster[B] // as it was given
	shape  *snapshot.Value
	inputs []Post[B]
	posts  *snapshot.Value // the inputs
	also   []journal.Digest

	step     *Step
	takes    *turns[B]
	meeting  *Meeting[B]
	log      []Post[B]
	answered []uint64 // the answers that were used, by their place in the journal
	asked    map[Name]*snapshot.Value
	refused  map[Name]string // why the last answer at a seat was not taken
}

func newMinutes[B any](r *Roster[B], inputs []Post[B]) (*minutes[B], error) {
	m := &minutes[B]{roster: r.routed(), asked: map[Name]*snapshot.Value{}, refused: map[Name]string{}}
	var err error
	if m.shape, err = wiringOf(m.roster); err != nil {
		return nil, err
	}
	m.inputs = slices.Clone(inputs)
	for i := range m.inputs {
		p := &m.inputs[i]
		if p.Body, _, err = settled(p.Body); err != nil {
			return nil, fmt.Errorf("%sinput %d of a meeting: %w", prefix, i, err)
		}
		p.To, p.Thread = sorted(p.To), sortedIDs(p.Thread)
	}
	if m.posts, err = newValue("inputs", m.inputs); err != nil {
		return nil, err
	}
	m.also = []journal.Digest{{Name: "inputs", Text: m.posts.Sum.Text()}, {Name: "roster", Text: m.shape.Sum.Text()}}
	return m, nil
}

// open begins the meeting anew. If it is only to be repeated, it has no limit of turns:
// it came to its end under the one that it had.
func (m *minutes[B]) open(c *Step, only bool) error {
	m.step, m.answered = c, nil
	m.takes = newTurns(m, c)
	roster := m.takes.roster()
	if m.takes.only = only; only {
		roster.options.MaxTurns = -1
	}
	m.meeting = roster.Open()
	m.meeting.follow = follower{m.takes.committed, m.takes.tell}
	c.run.mu.Lock()
	c.tick = m.takes.tick
	c.run.mu.Unlock()
	return m.meeting.Post(m.inputs...)
}

// errNotRecorded: a turn that is to be repeated was never taken.
var errNotRecorded = errors.New("turn is not recorded")

// repeat gives the log of a meeting that was done before. No agent is called.
func (m *minutes[B]) repeat(c *Step, done *journal.Step) error {
	if err := m.open(c, true); err != nil {
		return err
	}
	answers := done.Answers
	for {
		if err := m.meeting.Run(c.ctx); err != nil {
			if errors.Is(err, errNotRecorded) {
				return errNotRecorded
			}
			return err
		}
		if len(answers) == 0 {
			m.log = m.meeting.Log()
			return nil
		}
		a := c.run.writer.AnswerAt(c.frame.path, answers[0])
		if a == nil || m.accept(a) != nil {
			return errNotRecorded
		}
		answers = answers[1:]
	}
}

// hold runs the meeting.
func (m *minutes[B]) hold(c *Step) error {
	if err := m.open(c, false); err != nil {
		return err
	}
	m.begin()
	over := false
	defer func() {
		if !over { // an observer has called runtime.Goexit
			m.takes.close(nil)
		}
	}()
	err := m.run(c.ctx)
	over = true
	if lost := c.run.gone(); lost != nil {
		err = lost
	}
	m.log = m.meeting.Log()
	m.takes.close(err)
	c.answers = m.answered
	return err
}

// begin notes what the meeting begins with.
func (m *minutes[B]) begin() {
	r := m.step.run
	if r.writer == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m.step.noteSelf()
	d := &journal.Draft{}
	d.Kind, d.ID, d.To, d.Step = journal.KindMeeting, r.writer.Number(), m.step.id, m.step.frame.path
	d.Value, d.Inputs = m.shape.Raw, m.posts.Raw
	r.writer.NoteMeeting(d)
}

// run goes on until nothing waits, or somebody has to answer first.
func (m *minutes[B]) run(ctx context.Context) error {
	for {
		err := m.meeting.Run(ctx)
		m.takes.tell()
		if err != nil {
			return err
		}
		waiting := m.meeting.Pending()
		if len(waiting) == 0 {
			return nil
		}
		if ok, err := m.answer(waiting); ok || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := m.ask(waiting); err != nil {
			return err
		}
		ok, err := m.answer(waiting) // one may have come at just this moment
		if err != nil {
			return err
		}
		if !ok {
			return m.waits(waiting)
		}
	}
}

func (m *minutes[B]) waits(waiting []Waiting[B]) error {
	e := &WaitingError{}
	for _, w := range waiting {
		v, err := newValue(w.At, w.Posts)
		if err != nil {
			return err
		}
		e.Questions = append(e.Questions, Question{Step: m.step.frame.path, Seat: w.At, Question: v.Raw, Refused: m.refused[w.At]})
	}
	e.sort()
	return e
}

// ask writes down what waits at seats, unless it stands there.
func (m *minutes[B]) ask(waiting []Waiting[B]) error {
	if m.step.run.writer == nil {
		return nil
	}
	for _, w := range waiting {
		v, err := newValue(w.At, w.Posts)
		if err != nil {
			return err
		}
		if v.Equal(m.asked[w.At]) {
			continue
		}
		m.asked[w.At] = v
		if err := m.step.publish(Question{Step: m.step.frame.path, Seat: w.At, Question: v.Raw, Refused: m.refused[w.At]}); err != nil {
			return err
		}
	}
	return nil
}

// wiringOf describes the wiring of a roster.
func wiringOf[B any](r *Roster[B]) (*snapshot.Value, error) {
	entries := r.Entries()
	err := writable(entries)
	if err != nil {
		return nil, fmt.Errorf("%sroster of a meeting: %w", prefix, err)
	}
	raw, err := canon.Marshal(shapes(r, entries))
	if err != nil {
		return nil, fmt.Errorf("%sroster of a meeting: %w", prefix, err)
	}
	return snapshot.NewValue(raw)
}

// writable says which name or channel JSON cannot hold, those of nested nodes last.
func writable(entries []GraphAgent) error {
	todo := slices.Clone(entries)
	for len(todo) > 0 {
		e := todo[0]
		todo = append(todo[1:], e.Entries...)
		if !utf8.ValidString(e.Name) {
			return fmt.Errorf("%q is not valid UTF-8: %w", e.Name, ErrBadName)
		}
		for _, ch := range slices.Concat(e.In.names, e.Out.names) {
			if !utf8.ValidString(ch) {
				return fmt.Errorf("%q, which %q hears or posts to, is not valid UTF-8: %w", ch, e.Name, ErrBadChannel)
			}
		}
	}
	return nil
}

func shapes[B any](r *Roster[B], entries []GraphAgent) []journal.Shape {
	all := make([]journal.Shape, len(entries))
	for i, e := range entries {
		all[i] = journal.Shape{Name: e.Name, Kind: e.Kind.String(), In: slices.Collect(e.In.All()), Out: slices.Collect(e.Out.All()), Entries: shapes(r, e.Entries)}
		if at, ok := r.find(e.Name); ok && r.scopes[at] != nil {
			all[i].Scope = r.scopes[at].prefix
		}
	}
	return all
}
