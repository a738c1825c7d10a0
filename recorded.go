package agentgraph

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// recorded is a program whose turns are recorded.
type recorded[B any] struct {
	turns *turns[B]
	entry int32
	inner program[B]
}

// memory is the state of a recorded program.
type memory struct {
	state  any
	print  string // its digest
	n      int    // how many turns were taken
	turn   int    // the number of the last one in the journal
	cached bool   // that one was taken before
	at     int64  // when it began
}

func (p recorded[B]) start() any { return (*memory)(nil) }

// first is the state before any turn.
func (p recorded[B]) first() (*memory, error) {
	m := &memory{state: p.inner.start()}
	_, err := p.seal(m)
	return m, err
}

// seal makes a state what it is after a JSON round trip, and returns its JSON. That
// of an agent that has none of its own, or only its history, is nil.
func (p recorded[B]) seal(m *memory) (json.RawMessage, error) {
	switch p.inner.(type) {
	case pure[B], each[B], tape[B]:
		return nil, nil
	}
	raw, err := p.inner.save(m.state)
	if err != nil {
		return nil, err
	}
	if raw, err = canon.Compact(raw); err != nil {
		return nil, err
	}
	return raw, p.unseal(m, raw)
}

func (p recorded[B]) unseal(m *memory, raw json.RawMessage) (err error) {
	sum, err := canon.Sum(raw)
	if err != nil {
		return err
	}
	m.print = sum.Text()
	m.state, err = p.inner.load(raw)
	return err
}

func (p recorded[B]) save(state any) (json.RawMessage, error) {
	return p.inner.save(state.(*memory).state)
}

func (p recorded[B]) load(data json.RawMessage) (any, error) {
	m := &memory{}
	return m, p.unseal(m, data)
}

func (p recorded[B]) step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error) {
	before := state.(*memory)
	if before == nil {
		var err error
		if before, err = p.first(); err != nil {
			return nil, nil, p.bad(err)
		}
	}
	post, err := p.turns.print(in)
	if err != nil {
		return nil, nil, err
	}
	s := p.turns.step
	key := journal.Taking{Meeting: s.frame.path, Agent: p.turns.minutes.roster.paths[p.entry], N: before.n, Post: post, State: before.print}
	if s.run.writer != nil {
		if e := s.run.writer.Turn(key); e != nil {
			return p.recall(before, e, in, post)
		}
	}
	if p.turns.only {
		return nil, nil, errNotRecorded
	}
	return p.take(ctx, before, key, in)
}

// bad is the error of a state that JSON cannot hold.
func (p recorded[B]) bad(err error) error { return fmt.Errorf("%sstate of the agent: %w", prefix, err) }

// recall gives what came of a turn that was taken before.
func (p recorded[B]) recall(before *memory, e *journal.Entry, in *Post[B], post string) (any, []Post[B], error) {
	var kept []output
	if len(e.Value) > 0 {
		if err := json.Unmarshal(e.Value, &kept); err != nil {
			return nil, nil, err
		}
	}
	outs := make([]Post[B], len(kept))
	for i, o := range kept {
		outs[i] = Post[B]{To: o.To, Thread: o.Thread}
		if err := json.Unmarshal(o.Body, &outs[i].Body); err != nil {
			return nil, nil, fmt.Errorf("%srecorded body: %w", prefix, err)
		}
	}
	r := p.turns.step.run
	after := &memory{n: before.n + 1, turn: e.ID, cached: !r.writer.Own(e), at: r.since()}
	if e.State != nil {
		return after, outs, p.unseal(after, e.State)
	}
	if _, ok := p.inner.(tape[B]); ok {
		return after, outs, p.hear(before, after, e.Heard, in, post)
	}
	return after, outs, nil
}

// take lets the agent take a turn, and makes what came of it durable.
func (p recorded[B]) take(ctx context.Context, before *memory, key journal.Taking, in *Post[B]) (any, []Post[B], error) {
	s := p.turns.step
	d := p.draft(key, in.ID)
	defer p.turns.enter(p.entry, d)()
	a := attempt[B]{
		roster: p.turns.minutes.roster, entry: p.entry, n: before.n, in: *in, state: before.state,
		runID: s.run.id, key: key.Print(s.run.id),
	}
	a.take(context.WithValue(ctx, stepKey{}, (*Step)(nil)))
	if a.err != nil {
		return nil, nil, a.err
	}
	if a.err = p.check(a.outs); a.err != nil {
		return nil, nil, a.err
	}
	outs, value, err := settledOutputs(a.outs)
	if err != nil {
		return nil, nil, err
	}
	after := &memory{state: a.next, n: before.n + 1, turn: d.ID, at: d.At}
	if d.State, err = p.seal(after); err != nil {
		return nil, nil, p.bad(err)
	}
	if _, ok := p.inner.(tape[B]); ok {
		if d.Heard, err = p.remember(before, after, key, in); err != nil {
			return nil, nil, err
		}
	}
	if s.run.writer == nil {
		return after, outs, nil
	}
	d.Value = value
	return after, outs, s.run.writeTurn(key, d)
}

// draft is the entry of a turn that begins.
func (p recorded[B]) draft(key journal.Taking, post PostID) *journal.Draft {
	s := p.turns.step
	d := &journal.Draft{}
	d.Kind, d.To, d.Agent, d.N, d.Post, d.At = journal.KindTurn, s.id, key.Agent, key.N, post.String(), s.run.since()
	d.Rooms = p.turns.rooms(p.entry)
	for _, part := range []journal.Digest{{Name: "post", Text: key.Post}, {Name: "state", Text: key.State}} {
		if part.Text != "" {
			d.Also = append(d.Also, part)
		}
	}
	if s.run.writer != nil {
		d.ID = s.run.writer.Number()
	}
	return d
}

// check refuses outputs that will not be committed: the turn is not to be recorded.
func (p recorded[B]) check(outs []Post[B]) error {
	for i := range outs {
		if _, err := p.turns.minutes.roster.resolve(p.entry, outs[i].To); err != nil {
			return err
		}
	}
	return nil
}
