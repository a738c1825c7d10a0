package agentgraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Middleware wraps the turns of a roster's agents, not those of nested nodes. It
// sees an agent's raw outputs; their addresses are checked after it. It may call
// next again, which steps the agent from the same state (the last success
// counts), or not at all, which leaves the state as it is. It must hand next a
// context made from its own. With Options.Parallel it runs concurrently.
type Middleware[B any] func(next TurnFunc[B]) TurnFunc[B]

// Use returns a copy of the roster whose every turn goes through the given
// middlewares, the first one outermost, inside those it has already:
// r.Use(a).Use(b) is r.Use(a, b). Each is called once, here, and what it returns
// serves this copy and all that are made from it. A nil middleware, and one that
// returns nil, is left out.
func (r *Roster[B]) Use(mw ...Middleware[B]) *Roster[B] {
	c := *r.routed()
	c.layers = slices.Clone(c.layers)
	for _, m := range mw {
		if m == nil {
			continue
		}
		if layer := m(below[B](len(c.layers) + 1)); layer != nil {
			c.layers = append(c.layers, layer)
		}
	}
	return &c
}

// below is what a middleware calls next: the layer of that number in the roster whose
// turn it is, or else the agent. It is looked up only then, for more may be put
// beneath a middleware after it was made.
func below[B any](number int) TurnFunc[B] {
	return func(ctx context.Context, agent Name, in Post[B]) ([]Post[B], error) {
		t := turnOf(ctx)
		if t == nil {
			return nil, errors.New(prefix + "a middleware lost the context of its turn: derive the one for next from its own")
		}
		r, ok := t.roster.(*Roster[B])
		if !ok {
			return nil, fmt.Errorf("%sa middleware gave the turn of %q a context of another roster", prefix, agent)
		}
		if number < len(r.layers) {
			return r.layers[number](ctx, agent, in)
		}
		return r.step(ctx, t, in)
	}
}

// step lets the agent step, beneath all middlewares.
func (r *Roster[B]) step(ctx context.Context, t *turnContext, in Post[B]) ([]Post[B], error) {
	next, outs, err := guarded(ctx, r.entries[t.entry].program, t.state, &in)
	if err != nil {
		return outs, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next = next
	return outs, nil
}

// guarded steps an agent so that a middleware sees its panic as an error.
func guarded[B any](ctx context.Context, p program[B], state any, in *Post[B]) (next any, outs []Post[B], err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	return p.step(ctx, state, in)
}
