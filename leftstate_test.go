package agentgraph_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

// callCount counts its calls, and says how many there were.
type callCount struct{ n int }

func (*callCount) Name() string { return "counter" }

func (c *callCount) Invoke(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	c.n++
	n, err := json.Marshal(c.n)
	return agentgraph.Artifacts{"n": n}, err
}

func (c *callCount) ExportState() (any, error) { return c.n, nil }

func (c *callCount) ImportState(state json.RawMessage) error { return json.Unmarshal(state, &c.n) }

// TestAgentMadeAnew: an agent that each step makes anew goes on from the one before,
// whether or not that step ran in the same life.
func TestAgentMadeAnew(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		var counts []int
		_, err := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b", "c"} {
				err := s.Step(name, func(s *agentgraph.Step) error { return s.StepAgent(&callCount{}) })
				if err != nil {
					return err
				}
				n, err := agentgraph.Get[int](s, "n")
				if err != nil {
					return err
				}
				counts = append(counts, n)
			}
			return nil
		}, &agentgraph.ResumableOptions{Store: store}).Run(t.Context(), "run", nil)
		if err == nil {
			require.Equal(t, []int{1, 2, 3}, counts)
		}
		return counts, err
	})
}

// TestAgentChangedBetweenSteps: what the body does to an agent itself stands.
func TestAgentChangedBetweenSteps(t *testing.T) {
	c := &callCount{}
	_, err := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		if err := s.StepAgent(c); err != nil {
			return err
		}
		c.n = 10
		return s.StepAgent(c)
	}, nil).Run(t.Context(), "", nil)
	require.NoError(t, err)
	require.Equal(t, 11, c.n)
}

// TestAgentChangedAfterAFailure: a failed step leaves nothing behind of the agent's.
func TestAgentChangedAfterAFailure(t *testing.T) {
	c := &callCount{}
	_, err := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		if err := s.StepAgent(c); err != nil {
			return err
		}
		err := s.Step("failing", func(s *agentgraph.Step) error {
			if err := s.StepAgent(c); err != nil {
				return err
			}
			return context.Canceled
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1, c.n)
		c.n = 10
		return s.StepAgent(c)
	}, nil).Run(t.Context(), "", nil)
	require.NoError(t, err)
	require.Equal(t, 11, c.n)
}

// TestAgentsOfOneName: two that take turns count together.
func TestAgentsOfOneName(t *testing.T) {
	a, b := &callCount{}, &callCount{}
	_, err := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		for _, c := range []*callCount{a, b, a} {
			if err := s.StepAgent(c); err != nil {
				return err
			}
		}
		return nil
	}, nil).Run(t.Context(), "", nil)
	require.NoError(t, err)
	require.Equal(t, []int{3, 2}, []int{a.n, b.n})
}

// TestAgentsMadeAnewAtOnce: those that run at once begin with the same state, and the
// next one with that of the last of them.
func TestAgentsMadeAnewAtOnce(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		next := &callCount{}
		_, err := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
			for range 2 {
				for _, name := range []string{"a", "b"} {
					s.Go(name, func(s *agentgraph.Step) error { return s.StepAgent(&callCount{}) })
				}
				if err := s.Wait(); err != nil {
					return err
				}
			}
			return s.StepAgent(next)
		}, &agentgraph.ResumableOptions{Store: store}).Run(t.Context(), "run", nil)
		if err == nil {
			require.Equal(t, 3, next.n)
		}
		return next.n, err
	})
}
