package agentgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestHandleOfTheCallerInAGoBody: a body that uses the handle of the step that waits
// for it fails, whether that step's body has returned or calls Wait.
func TestHandleOfTheCallerInAGoBody(t *testing.T) {
	for name, wait := range map[string]func(*agentgraph.Step) error{
		"Wait":   (*agentgraph.Step).Wait,
		"return": func(*agentgraph.Step) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
				s.Go("good", func(*agentgraph.Step) error { return nil })
				s.Go("bad", func(c *agentgraph.Step) error {
					var err error
					for err == nil { // until the caller waits
						_, err = agentgraph.Get[int](s, "x")
					}
					require.ErrorIs(t, err, agentgraph.ErrWrongStep)
					return nil
				})
				return wait(s)
			}, nil)
			result, err := r.Run(context.Background(), "", map[string]any{"x": 1})
			require.ErrorIs(t, err, agentgraph.ErrWrongStep)
			require.Equal(t, agentgraph.StatusError, result.Steps[1].Status)
		})
	}
}
