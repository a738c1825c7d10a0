package agentgraph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// ToAgent makes one agent of a whole graph, a black box: its state is a meeting
// (the states of its agents, how many posts each author has made). Each input is
// posted to the meeting as it is addressed, and reaches the members that [Hears]
// names whatever its To; the meeting runs until nobody has anything left to hear,
// at most 10,000 turns an input; the bodies of what was posted meanwhile, by the
// members that [Speaks] names (all without it), are the outputs. An input whose
// author has a member's name is seen inside as from "../name".
//
// To a roster that it is in it is one agent, which takes one turn an input. The
// roster's Options and middlewares do not reach inside: turns there do not count for
// its limit nor go through its middlewares, and run one at a time.
//
// It is a value like any other agent: stepped twice from one state it gives the
// same twice, and its state survives JSON when those of its agents do. A step
// costs O(its agents) beside the turns.
//
// It refuses what [ToRoster] refuses, a graph without a vertex
// ([ErrEmptyNested]), and seats, at any depth ([ErrExternal]).
func ToAgent[B any](g Graph, reg Registry[B], ports ...Port) (Agent[B], error) {
	r, err := compile(g, reg, ports...)
	if err != nil {
		return Agent[B]{}, err
	}
	c := &closed[B]{roster: r}
	if err := c.check(); err != nil {
		return Agent[B]{}, err
	}
	c.hears = slices.ContainsFunc(ports, func(p Port) bool { return !p.speaks })
	c.first = &closedState{seats: r.Open().seats}
	return Agent[B]{program: c, world: slices.ContainsFunc(r.entries, func(e member[B]) bool { return e.world })}, nil
}

// closed is a roster as the program of one agent.
type closed[B any] struct {
	roster *Roster[B]
	hears  bool // Hears was given
	first  *closedState
}

// closedState is a meeting between two inputs, when nothing waits in it.
type closedState struct {
	seats  []seat
	guests map[Name]int
}

func (c *closed[B]) check() error {
	var faults []*Fault
	if len(c.roster.entries) == 0 {
		faults = append(faults, &Fault{Err: ErrEmptyNested})
	}
	for i := range c.roster.entries {
		if e := &c.roster.entries[i]; e.kind == KindExternal {
			faults = append(faults, &Fault{Path: c.roster.paths[i], Culprit: c.roster.paths[i], Err: ErrExternal})
		}
	}
	if faults == nil {
		return nil
	}
	return graphError(faults)
}

func (c *closed[B]) start() any { return c.first }

func (c *closed[B]) step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error) {
	s := state.(*closedState)
	m := &Meeting[B]{
		roster: c.roster,
		loop:   schedule.NewLoop(c.roster.plan),
		seats:  slices.Clone(s.seats),
		before: s.guests,
		closed: true,
		log:    ledger[B]{roster: c.roster},
	}
	c.post(m, *in)
	d := &sequence[B]{meeting: m, left: m.turnsLeft()}
	for more := true; more; {
		var err error
		if more, err = d.step(ctx); err != nil {
			return nil, nil, err
		}
	}
	var outs []Post[B]
	for i := range m.log.n {
		if p := m.log.post(i); c.leaves(p.From) {
			outs = append(outs, Post[B]{Body: p.Body})
		}
	}
	return &closedState{m.seats, m.made()}, outs, nil
}

// post commits an input to the meeting inside.
func (c *closed[B]) post(m *Meeting[B], in Post[B]) {
	for c.isMember(in.From) {
		in.From = "../" + in.From
	}
	m.take(&in, c.hears)
}

func (c *closed[B]) isMember(name Name) bool {
	_, ok := c.roster.find(name)
	return ok
}

// leaves says whether a post made inside is an output: its author speaks for the
// node it is in, that one for the node around it, and so on.
func (c *closed[B]) leaves(from Name) bool {
	at, ok := c.roster.find(from)
	if !ok {
		return false
	}
	for at != schedule.None {
		if !c.roster.entries[at].speaks {
			return false
		}
		_, _, at = c.roster.plan.Heard(at)
	}
	return true
}

// savedSeat is the JSON form of a seat, savedState that of a closedState.
type savedSeat struct {
	Agent Name            `json:"agent"`
	State json.RawMessage `json:"state,omitempty"`
	Turns int             `json:"turns,omitempty"`
	Made  int             `json:"made,omitempty"`
}

type savedState struct {
	Seats  []savedSeat  `json:"seats"`
	Guests map[Name]int `json:"guests,omitempty"`
}

func (c *closed[B]) save(state any) (json.RawMessage, error) {
	s := state.(*closedState)
	saved := savedState{Guests: s.guests}
	for i, seat := range s.seats {
		e := &c.roster.entries[i]
		if e.kind == KindNested {
			continue
		}
		data, err := e.program.save(seat.state)
		if err != nil {
			return nil, &stateError{c.roster.paths[i], err}
		}
		saved.Seats = append(saved.Seats, savedSeat{c.roster.paths[i], data, seat.turns, seat.made})
	}
	return canon.Marshal(saved)
}

func (c *closed[B]) load(data json.RawMessage) (any, error) {
	var saved savedState
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, fmt.Errorf("%sstate of a graph: %w", prefix, err)
	}
	s := &closedState{seats: slices.Clone(c.first.seats), guests: saved.Guests}
	for _, seat := range saved.Seats {
		at, ok := c.roster.find(seat.Agent)
		if !ok || c.roster.entries[at].kind != KindAtomic {
			return nil, &stateError{seat.Agent, ErrMissingAgent}
		}
		state, err := c.roster.entries[at].program.load(seat.State)
		if err != nil {
			return nil, &stateError{seat.Agent, err}
		}
		s.seats[at] = restored(state, seat)
	}
	return s, nil
}

// stateError is a state of an agent inside that cannot be saved or loaded.
type stateError struct {
	agent Name
	err   error
}

func (e *stateError) Error() string {
	return fmt.Sprintf("%sstate of %q: %s", prefix, e.agent, unprefixed(e.err))
}

func (e *stateError) Unwrap() error { return e.err }

func restored(state any, s savedSeat) seat { return seat{state: state, turns: s.Turns, made: s.Made} }
