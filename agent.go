package agentgraph

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// Agent is a Moore machine over posts: a state and one input give the next state
// and some outputs. It is immutable and safe for concurrent use, for its state
// is a value that lives in the meeting. The zero Agent does nothing and is
// refused by ToRoster, and so is one made from a nil function.
//
// An output needs a Body only; the meeting stamps the rest. See [Post].
type Agent[B any] struct {
	program program[B]
	world   bool // its function wants a context
}

// program is one way to keep state between turns.
type program[B any] interface {
	start() any
	step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error)
	save(state any) (json.RawMessage, error)
	load(state json.RawMessage) (any, error)
}

// Each is an agent without memory: its outputs depend on this input alone.
func Each[B any](f func(in Post[B]) []Post[B]) Agent[B] {
	if f == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: pure[B]{f: f}}
}

// EachContext is Each for an agent that calls the world. An error stops the
// meeting and keeps the input waiting.
func EachContext[B any](f func(ctx context.Context, in Post[B]) ([]Post[B], error)) Agent[B] {
	if f == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: each[B]{f: f}, world: true}
}

// Tape is an agent that sees all it has heard, oldest first, the new post last.
// It must not modify the history. A turn costs O(1) beside f itself.
func Tape[B any](f func(history []Post[B]) []Post[B]) Agent[B] {
	if f == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: tape[B](func(_ context.Context, history []Post[B]) ([]Post[B], error) {
		return f(history), nil
	})}
}

// TapeContext is Tape for an agent that calls the world. An error stops the
// meeting and keeps the input waiting.
func TapeContext[B any](f func(ctx context.Context, history []Post[B]) ([]Post[B], error)) Agent[B] {
	if f == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: tape[B](f), world: true}
}

// Machine is an agent with a state of its own. A turn can be dropped and taken
// again from the same state, so step must return a new state and leave the one
// that it is given as it is: a map or slice in it is copied before it is changed.
// A meeting holds the state in memory; in [RunMeeting] it is JSON between turns, and
// what JSON leaves out, such as unexported fields, is lost after each without an error.
func Machine[S, B any](start S, step func(state S, in Post[B]) (S, []Post[B])) Agent[B] {
	if step == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: machine[S, B]{start, func(_ context.Context, state S, in Post[B]) (S, []Post[B], error) {
		next, outs := step(state, in)
		return next, outs, nil
	}}}
}

// MachineContext is Machine for an agent that calls the world. An error stops
// the meeting, keeps the input waiting and leaves the state as it was.
func MachineContext[S, B any](start S, step func(ctx context.Context, state S, in Post[B]) (S, []Post[B], error)) Agent[B] {
	if step == nil {
		return Agent[B]{}
	}
	return Agent[B]{program: machine[S, B]{start, step}, world: true}
}

// TurnInfo is what an agent can know of the turn that it takes.
type TurnInfo struct {
	Agent          Name   // its own path
	N              int    // which of its own turns this is, from 0
	RunID          string // the run, in a durable meeting; empty in a Meeting
	IdempotencyKey string // the same whenever this turn is taken again, in a durable meeting; empty in a Meeting
}

// TurnFrom tells an agent, or a middleware, which turn its context belongs to.
// It is false outside of a turn, and in the pure forms, which have no context.
func TurnFrom(ctx context.Context) (TurnInfo, bool) {
	t := turnOf(ctx)
	if t == nil {
		return TurnInfo{}, false
	}
	return t.info, true
}

// turnOf returns nil outside of a turn.
func turnOf(ctx context.Context) *turnContext {
	if ctx == nil {
		return nil
	}
	t, _ := ctx.Value(turnKey{}).(*turnContext)
	return t
}

type turnKey struct{}

// turnContext is the context of one turn. It carries what the innermost
// middleware needs to step the agent.
type turnContext struct {
	context.Context
	info   TurnInfo
	roster any // a *Roster[B]
	entry  int32
	state  any // what the turn starts from

	mu   sync.Mutex // over next: a middleware may call on from several goroutines
	next any
}

func (t *turnContext) Value(key any) any {
	if _, ok := key.(turnKey); ok {
		return t
	}
	return t.Context.Value(key)
}

// stateless is the part of a program that keeps nothing.
type stateless struct{}

func (stateless) start() any                        { return nil }
func (stateless) save(any) (json.RawMessage, error) { return json.RawMessage("null"), nil }
func (stateless) load(json.RawMessage) (any, error) { return nil, nil }

type pure[B any] struct {
	stateless
	f func(Post[B]) []Post[B]
}

func (p pure[B]) step(_ context.Context, _ any, in *Post[B]) (any, []Post[B], error) {
	return nil, p.f(*in), nil
}

type each[B any] struct {
	stateless
	f func(context.Context, Post[B]) ([]Post[B], error)
}

func (p each[B]) step(ctx context.Context, _ any, in *Post[B]) (any, []Post[B], error) {
	outs, err := p.f(ctx, *in)
	return nil, outs, err
}

type machine[S, B any] struct {
	first S
	f     func(context.Context, S, Post[B]) (S, []Post[B], error)
}

func (m machine[S, B]) start() any { return m.first }

func (m machine[S, B]) step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error) {
	s, _ := state.(S)
	return m.f(ctx, s, *in)
}

// save gives json the address, so that methods of *S count, as they do in load.
func (m machine[S, B]) save(state any) (json.RawMessage, error) {
	s, _ := state.(S)
	return canon.Marshal(&s)
}

func (m machine[S, B]) load(data json.RawMessage) (any, error) {
	var s S
	err := json.Unmarshal(data, &s)
	return s, err
}

type tape[B any] func(context.Context, []Post[B]) ([]Post[B], error)

func (f tape[B]) start() any { return (*history[B])(nil) }

func (f tape[B]) step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error) {
	h := state.(*history[B]).add(*in)
	outs, err := f(ctx, h.posts)
	return h, outs, err
}

func (f tape[B]) save(state any) (json.RawMessage, error) {
	h := state.(*history[B])
	if h == nil {
		return json.RawMessage("[]"), nil
	}
	return canon.Marshal(h.posts)
}

func (f tape[B]) load(data json.RawMessage) (any, error) {
	var posts []Post[B]
	if err := json.Unmarshal(data, &posts); err != nil {
		return nil, err
	}
	return historyOf(posts), nil
}

// history is a value: adding to it twice gives two histories. It grows in place
// as long as nobody has added to it before.
type history[B any] struct {
	posts []Post[B] // no spare capacity shows
	spool *spool[B]
}

// spool is the array behind a history and all that it was grown from.
type spool[B any] struct {
	array []Post[B]
	used  atomic.Int64
}

func historyOf[B any](posts []Post[B]) *history[B] {
	if len(posts) == 0 {
		return nil
	}
	r := &spool[B]{array: posts}
	r.used.Store(int64(len(posts)))
	return &history[B]{slices.Clip(posts), r}
}

func (h *history[B]) add(p Post[B]) *history[B] {
	if h == nil {
		return historyOf(append(make([]Post[B], 0, 4), p))
	}
	n := len(h.posts)
	if n < cap(h.spool.array) && h.spool.used.CompareAndSwap(int64(n), int64(n+1)) {
		grown := h.spool.array[:n+1]
		grown[n] = p
		return &history[B]{slices.Clip(grown), h.spool}
	}
	return historyOf(append(append(make([]Post[B], 0, 2*n+4), h.posts...), p))
}
