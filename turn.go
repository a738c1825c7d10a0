package agentgraph

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// Turn is one agent taking one post.
type Turn[B any] struct {
	N       int // which turn of the meeting this is, from 0
	Agent   Name
	Input   Post[B]
	Outputs []Post[B] // as committed; the slice is the caller's
}

// TurnFunc takes one turn: it gives what the agent posts on an input.
type TurnFunc[B any] func(ctx context.Context, agent Name, in Post[B]) ([]Post[B], error)

// errGoexit stands for a call of runtime.Goexit where a panic has its value.
var errGoexit = errors.New("runtime.Goexit was called")

// attempt is one turn on its way: what it starts from and what came of it.
type attempt[B any] struct {
	roster *Roster[B]
	entry  int32
	n      int // which of the agent's own turns
	in     Post[B]
	state  any
	runID  string // in a durable meeting, with a key of the turn
	key    string

	next      any // the state after it
	outs      []Post[B]
	err       error
	addresses []address // of the outputs; none when all are for everywhere
}

// take lets the agent step. When the agent calls runtime.Goexit, take does not
// return, but err is set.
func (a *attempt[B]) take(ctx context.Context) {
	done := false
	defer func() {
		if !done {
			a.err = caught(recover())
		}
	}()
	e := &a.roster.entries[a.entry]
	switch {
	case len(a.roster.layers) > 0:
		t := a.context(ctx)
		a.outs, a.err = a.roster.layers[0](t, a.roster.paths[a.entry], a.in)
		a.next = t.after()
	case e.world:
		a.next, a.outs, a.err = e.program.step(a.context(ctx), a.state, &a.in)
	default:
		a.next, a.outs, a.err = e.program.step(ctx, a.state, &a.in)
	}
	done = true
}

// context is what the agent and the middlewares see.
func (a *attempt[B]) context(ctx context.Context) *turnContext {
	path := a.roster.paths[a.entry]
	return &turnContext{
		Context: ctx,
		info:    TurnInfo{Agent: path, N: a.n, RunID: a.runID, IdempotencyKey: a.key},
		roster:  a.roster,
		entry:   a.entry,
		state:   a.state,
		next:    a.state,
	}
}

func (t *turnContext) after() any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

// caught makes an error of what recover gave; nil is a Goexit.
func caught(v any) error {
	if v == nil {
		v = errGoexit
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// address finds out where the outputs go.
func (a *attempt[B]) address() error {
	a.addresses = a.addresses[:0]
	chosen := false
	for i := range a.outs {
		chosen = chosen || len(a.outs[i].To) > 0
	}
	if !chosen {
		return nil
	}
	for i := range a.outs {
		to, err := a.roster.resolve(a.entry, a.outs[i].To)
		if err != nil {
			return &AgentError{Agent: a.roster.paths[a.entry], Input: a.in.ID, Err: err}
		}
		a.addresses = append(a.addresses, to)
	}
	return nil
}

// keep copies the outputs, for the agent may use their memory again in its next
// turn, which can come before this one is committed.
func (a *attempt[B]) keep() {
	a.outs = slices.Clone(a.outs)
	for i := range a.outs {
		a.outs[i].Thread = sortedIDs(a.outs[i].Thread)
	}
}

// stamped returns the outputs, which have been kept, as they will be committed,
// and where they go. made is how many posts the agent has made before.
func (a *attempt[B]) stamped(made int) []schedule.Out[*Post[B]] {
	path, to := a.roster.paths[a.entry], a.roster.address(a.roster.entries[a.entry].address)
	posts, outs := make([]Post[B], len(a.outs)), make([]schedule.Out[*Post[B]], len(a.outs))
	input := []PostID{a.in.ID}
	for i := range posts {
		p := &posts[i]
		*p = Post[B]{ID: PostID{From: path, N: made + i}, From: path, To: to, Thread: a.outs[i].Thread, Body: a.outs[i].Body}
		if p.Thread == nil {
			p.Thread = input
		}
		outs[i].Post = p
		if len(a.addresses) > 0 {
			p.To, outs[i].Route = a.addresses[i].to, a.addresses[i].route
		}
	}
	return outs
}
