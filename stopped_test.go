package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

var errCause = errors.New("agentgraph: the cause")

// TestAgentsErrorWhenTheContextEnds: neither the context's error, nor its cause, nor
// the agent's own is lost.
func TestAgentsErrorWhenTheContextEnds(t *testing.T) {
	const cut = `agentgraph: agent "a" was cut short on post "user#0": context canceled`
	for _, c := range []struct {
		name  string
		cause error
		own   func(ctx context.Context) error
		text  string
		is    []error
	}{
		{"the context's", nil, func(ctx context.Context) error { return ctx.Err() }, cut, nil},
		{"another", nil, func(context.Context) error { return errOwn }, cut + ": my own", []error{errOwn}},
		{"both", nil, func(ctx context.Context) error { return fmt.Errorf("%w, %w", errOwn, ctx.Err()) }, cut + ": my own, context canceled", []error{errOwn}},
		{"panic", nil, func(context.Context) error { panic(errOwn) }, cut + ": panic: my own", []error{errOwn}},
		{"cause", errCause, func(ctx context.Context) error { return ctx.Err() }, cut + ": the cause", []error{errCause}},
		{"its own cause", errCause, func(ctx context.Context) error { return context.Cause(ctx) }, cut + ": the cause", []error{errCause}},
		{"a cause that must not be compared", incomparable{[]int{1}}, context.Cause, cut + ": [1]: [1]", nil},
		{"all", errCause, func(context.Context) error { return errOwn }, cut + ": the cause: my own", []error{errCause, errOwn}},
	} {
		for _, parallel := range []int{1, 2} {
			for _, durable := range []bool{false, true} {
				t.Run(fmt.Sprint(c.name, parallel, durable), func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(context.Background())
					agent := agentgraph.EachContext(func(ctx context.Context, in post) ([]post, error) {
						cancel(c.cause)
						<-ctx.Done()
						return nil, c.own(ctx)
					})
					r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agent)})
					require.NoError(t, err)
					r = r.With(agentgraph.Options{Parallel: parallel})
					text := c.text
					if durable {
						store := agentgraph.NewMemStore()
						job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
							_, err := agentgraph.RunMeeting(s, "talk", r, []post{toEveryone()})
							return err
						}, &agentgraph.ResumableOptions{Store: store})
						_, err = job.Run(ctx, "run", nil)
						text = `agentgraph: run "run", attempt 1, step "talk": ` + text[len("agentgraph: "):]
					} else {
						_, err = r.Run(ctx, []post{toEveryone()})
					}
					require.EqualError(t, err, text)
					require.ErrorIs(t, err, context.Canceled)
					for _, is := range c.is {
						require.ErrorIs(t, err, is)
					}
				})
			}
		}
	}
}

// TestCauseOfAStop: between turns, too.
func TestCauseOfAStop(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errCause)
		_, err := counting(t, 3).With(agentgraph.Options{Parallel: parallel}).Run(ctx, inputs("0"))
		require.EqualError(t, err, "agentgraph: run stopped: context canceled: the cause")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errCause)
	}
}

// TestTurnCutShortIsNotOneThatFailed: even if its own error is that of an agent.
func TestTurnCutShortIsNotOneThatFailed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	agent := agentgraph.EachContext(func(context.Context, post) ([]post, error) {
		cancel()
		return nil, &agentgraph.AgentError{Agent: "a", Err: errOwn}
	})
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agent)})
	require.NoError(t, err)
	job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "talk", r, []post{toEveryone()})
		return err
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
	result, err := job.Run(ctx, "run", nil)
	require.ErrorIs(t, err, errOwn)
	require.Empty(t, result.Steps[0].Children)
}
