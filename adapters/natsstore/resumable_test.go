package natsstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestResumable: a flow that is interrupted goes on from another machine, and does
// nothing twice.
func TestResumable(t *testing.T) {
	s, nc, _ := alone(t)
	interrupted := errors.New("interrupted")
	var ran []string
	fail := true
	body := func(step *agentgraph.Step) error {
		for _, name := range []string{"plan", "draft", "check"} {
			err := step.Step(name, func(step *agentgraph.Step) error {
				if name == "check" && fail {
					return interrupted
				}
				ran = append(ran, name)
				step.Set(name, large(2<<20))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	flow := func(s agentgraph.Store) *agentgraph.Resumable {
		return agentgraph.NewResumable("review", body, &agentgraph.ResumableOptions{Store: s})
	}
	_, err := flow(s).Run(within(t), "order/17", map[string]any{})
	require.ErrorIs(t, err, interrupted)
	require.Equal(t, []string{"plan", "draft"}, ran)

	fail = false
	result, err := flow(open(t, nc, nil)).Run(within(t), "order/17", map[string]any{})
	require.NoError(t, err)
	require.Equal(t, []string{"plan", "draft", "check"}, ran)
	require.Len(t, result.Artifacts, 3)

	_, err = flow(s).Run(within(t), "order/17", map[string]any{})
	require.NoError(t, err)
	require.Len(t, ran, 3)
}

// TestTooLargeNames: a run that a record ends, since it is too large, names the
// artifact, wherever that comes from.
func TestTooLargeNames(t *testing.T) {
	o := options(t)
	o.MaxPayload = 4096
	s := open(t, connect(t, start(t, o).ClientURL()), nil)
	huge := strings.Repeat("x", 3072*1000)
	body := func(step *agentgraph.Step) error {
		return step.Step("draft", func(step *agentgraph.Step) error {
			step.Set("title", "a title")
			step.Set("big text", huge)
			return nil
		})
	}
	flow := agentgraph.NewResumable("review", body, &agentgraph.ResumableOptions{Store: s})

	_, err := flow.Run(within(t), "step", nil)
	require.ErrorIs(t, err, agentgraph.ErrTooLarge)
	// If the step lasts, on a machine that is busy, its beginning has a record of its own,
	// and the step's path stands there.
	require.Regexp(t, `^agentgraph: run "step", attempt 1, step "draft": records are too large: \d+ bytes in one append, \d+ of them in record (2|3) of kind "step"; `+
		`this server takes 3072000; the largest value is artifact "big text"( at step "draft")?, 3072002 bytes$`, err.Error())
	for r, err := range s.Read(within(t), "step", 0) {
		require.NoError(t, err)
		require.NotEqual(t, "step", r.Kind)
	}

	_, err = flow.Run(within(t), "input", map[string]any{"title": "a title", "big input": huge})
	require.ErrorIs(t, err, agentgraph.ErrTooLarge)
	require.Regexp(t, `^agentgraph: run "input": records are too large: \d+ bytes in one append, \d+ of them in record 1 of kind "attempt"; `+
		`this server takes 3072000; the largest value is artifact "big input" of the input, 3072002 bytes$`, err.Error())
	require.Empty(t, read(t, s, "input", 0))
}
