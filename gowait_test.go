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
					require.EqualError(t, err, "agentgraph: the handle of the run was used while it waits for steps started with Go: use the handle that the body of the open step is given")
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

// TestNotYetThere: who asks for what a step started with Go leaves, before Wait, is told
// why it is not there.
func TestNotYetThere(t *testing.T) {
	_, err := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		s.Go("a", sets("x", 1))
		_, err := agentgraph.Get[int](s, "x")
		require.ErrorIs(t, err, agentgraph.ErrNoArtifact)
		require.EqualError(t, err, `agentgraph: artifact "x": no such artifact: what steps started with Go leave is there after Wait`)
		if err := s.Wait(); err != nil {
			return err
		}
		if _, err := agentgraph.Get[int](s, "x"); err != nil {
			return err
		}
		_, err = agentgraph.Get[int](s, "y")
		require.EqualError(t, err, `agentgraph: artifact "y": no such artifact`)
		return nil
	}, nil).Run(context.Background(), "", nil)
	require.NoError(t, err)
}

// TestConflictNamesTheSteps: who disagrees stands in the error.
func TestConflictNamesTheSteps(t *testing.T) {
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		return s.Step("outer", func(s *agentgraph.Step) error {
			s.Go("a", func(c *agentgraph.Step) error { c.Set("k", 1); c.Set("same", 1); c.Delete("gone"); return nil })
			s.Go("b", func(c *agentgraph.Step) error { c.Set("k", 2); c.Set("same", 1); c.Set("gone", 2); return nil })
			s.Go("c", func(c *agentgraph.Step) error { c.Set("x", 3); return nil })
			s.Set("x", 4)
			return s.Wait()
		})
	}, nil)
	_, err := r.Run(context.Background(), "", map[string]any{"gone": 1})
	require.ErrorIs(t, err, agentgraph.ErrArtifactConflict)
	require.EqualError(t, err, `agentgraph: run without an ID, step "outer": step "outer": changed differently at once: "gone" by step "outer/a" and step "outer/b", "k" by step "outer/a" and step "outer/b", "x" by step "outer/c" and its caller`)
}
