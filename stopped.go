package agentgraph

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// stopError says that the context of a meeting has ended. It wraps the context's
// error, its cause where that is another, and what the agent said that was cut short.
type stopError struct {
	what string
	errs []error
}

// Error gives the texts of all of them.
func (e *stopError) Error() string {
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteString(e.what)
	for _, err := range e.errs {
		b.WriteString(": ")
		b.WriteString(unprefixed(err))
	}
	return b.String()
}

// Unwrap returns them.
func (e *stopError) Unwrap() []error { return e.errs }

// stopped is the error of a meeting between two turns.
func stopped(ctx context.Context) error { return stopping(ctx, "run stopped", nil) }

func stopping(ctx context.Context, what string, own error) error {
	e := &stopError{what: what}
	for _, err := range []error{ctx.Err(), context.Cause(ctx), own} {
		if err != nil && !e.has(err) {
			e.errs = append(e.errs, err)
		}
	}
	return e
}

// has says whether an error is one of them, or in one.
func (e *stopError) has(err error) bool {
	return slices.ContainsFunc(e.errs, func(known error) bool { return carries(known, err) })
}

// failure is the error that a turn ends its run with.
func (a *attempt[B]) failure(ctx context.Context, err error) error {
	path := a.roster.paths[a.entry]
	if err == nil {
		err = caught(nil)
	}
	if ctx.Err() != nil {
		return stopping(ctx, fmt.Sprintf("agent %q was cut short on post %s", path, quoted(a.in.ID)), err)
	}
	return &AgentError{Agent: path, Input: a.in.ID, Err: err}
}
