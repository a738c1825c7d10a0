package natsstore_test

import (
	"errors"
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
