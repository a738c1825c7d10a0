package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
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

// uses is a body that has an agent count.
func uses(c *callCount) func(*agentgraph.Step) error {
	return func(s *agentgraph.Step) error { return s.StepAgent(c) }
}

// countInSteps has the agents count, each in a step of its own, and returns what they said.
func countInSteps(s *agentgraph.Step, agents ...*callCount) (said []int, err error) {
	for i, c := range agents {
		if err := s.Step(string(rune('a'+i)), uses(c)); err != nil {
			return said, err
		}
		n, err := agentgraph.Get[int](s, "n")
		if err != nil {
			return said, err
		}
		said = append(said, n)
	}
	return said, nil
}

func runAs(store agentgraph.Store, id string, body func(*agentgraph.Step) error) error {
	_, err := agentgraph.NewResumable("work", body, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), id, nil)
	return err
}

// crashed checks that work says the same wherever it is cut off.
func crashed(t *testing.T, want []int, work func(s *agentgraph.Step) ([]int, error)) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		var said []int
		err := runAs(store, "run", func(s *agentgraph.Step) (err error) { said, err = work(s); return err })
		if err == nil {
			require.Equal(t, want, said)
		}
		return said, err
	})
}

// TestAgentsOfOneName: another agent of one name, in a step after that of the first,
// is refused at once, for after a crash it would have the state of the first.
func TestAgentsOfOneName(t *testing.T) {
	var said []int
	anew := func(s *agentgraph.Step) (err error) {
		said, err = countInSteps(s, &callCount{}, &callCount{}, &callCount{})
		return err
	}
	err := runAs(agentgraph.NewMemStore(), "run", anew)
	require.ErrorIs(t, err, agentgraph.ErrAgentName)
	require.EqualError(t, err, `agentgraph: run "run", attempt 1, step "b/counter": another agent keeps its state under this name: "counter"`)
	require.Equal(t, []int{1}, said)

	require.NoError(t, runAs(nil, "", anew), "nothing is ever skipped")
	require.Equal(t, []int{1, 1, 1}, said)
}

// TestAgentInSteps: one that is used in several steps goes on from the one before.
func TestAgentInSteps(t *testing.T) {
	crashed(t, []int{1, 2, 3}, func(s *agentgraph.Step) ([]int, error) {
		c := &callCount{}
		return countInSteps(s, c, c, c)
	})
}

// TestAgentsInOneBody may share a name: a step that is skipped gives its own agent the
// state that it left.
func TestAgentsInOneBody(t *testing.T) {
	crashed(t, []int{1, 1, 2}, func(s *agentgraph.Step) (said []int, err error) {
		a, b := &callCount{}, &callCount{}
		for _, c := range []*callCount{a, b, a} {
			if err := s.StepAgent(c); err != nil {
				return said, err
			}
			said = append(said, c.n)
		}
		return said, nil
	})
}

// TestAgentsSideBySide may share a name, once; then it is taken.
func TestAgentsSideBySide(t *testing.T) {
	crashed(t, []int{1, 1}, func(s *agentgraph.Step) (said []int, err error) {
		for _, name := range []string{"a", "b"} {
			s.Go(name, uses(&callCount{}))
		}
		if err := s.Wait(); err != nil {
			return nil, err
		}
		n, err := agentgraph.Get[int](s, "n")
		return []int{n, n}, err
	})
	err := runAs(agentgraph.NewMemStore(), "run", func(s *agentgraph.Step) error {
		s.Go("a", uses(&callCount{}))
		if err := s.Wait(); err != nil {
			return err
		}
		s.Go("b", uses(&callCount{}))
		return s.Wait()
	})
	require.ErrorIs(t, err, agentgraph.ErrAgentName)
}

// TestAgentsOfOneState: it makes no difference who gets it.
func TestAgentsOfOneState(t *testing.T) {
	crashed(t, []int{1, 2}, func(s *agentgraph.Step) ([]int, error) {
		return countInSteps(s, &callCount{}, &callCount{1})
	})
}

// TestAgentAfterAFailure: a step that failed has left nothing of an agent behind.
func TestAgentAfterAFailure(t *testing.T) {
	failing := errors.New("failing")
	crashed(t, []int{1}, func(s *agentgraph.Step) ([]int, error) {
		err := s.Step("failing", func(s *agentgraph.Step) error {
			if err := s.Step("inner", uses(&callCount{})); err != nil {
				return err
			}
			return failing
		})
		if !errors.Is(err, failing) {
			return nil, err
		}
		return countInSteps(s, &callCount{})
	})
}

// TestAgentChangedBetweenSteps: what a body does to an agent of its own stands.
func TestAgentChangedBetweenSteps(t *testing.T) {
	c := &callCount{}
	require.NoError(t, runAs(agentgraph.NewMemStore(), "run", func(s *agentgraph.Step) error {
		if err := s.Step("a", uses(c)); err != nil {
			return err
		}
		c.n = 10
		return s.Step("b", uses(c))
	}))
	require.Equal(t, 11, c.n)
}

// useInTurn has the agents count in one body, and returns what they said.
func useInTurn(s *agentgraph.Step, agents ...*callCount) (said []int, err error) {
	for _, c := range agents {
		if err := s.StepAgent(c); err != nil {
			return said, err
		}
		said = append(said, c.n)
	}
	return said, nil
}

// TestAgentHiddenByAnother: a step that is skipped gives back one state of a name. An
// agent whose state is not that one is refused.
func TestAgentHiddenByAnother(t *testing.T) {
	var said []int
	for _, flow := range []func(s *agentgraph.Step, a, b *callCount) error{
		func(s *agentgraph.Step, a, b *callCount) error { // b leaves the last state in the step
			return s.Step("both", func(s *agentgraph.Step) error { _, err := useInTurn(s, a, b); return err })
		},
		func(s *agentgraph.Step, a, b *callCount) error {
			s.Go("a", uses(a))
			s.Go("b", uses(b))
			return s.Wait()
		},
	} {
		err := runAs(agentgraph.NewMemStore(), "run", func(s *agentgraph.Step) (err error) {
			a, b := &callCount{}, &callCount{}
			if err := flow(s, a, b); err != nil {
				return err
			}
			said, err = useInTurn(s, b, a)
			return err
		})
		require.ErrorIs(t, err, agentgraph.ErrAgentName)
		require.Equal(t, []int{2}, said)
	}
}

// TestAgentGivesItsStateAway: one that begins with the state that another has just left
// takes it, and none is left for that other.
func TestAgentGivesItsStateAway(t *testing.T) {
	var said []int
	err := runAs(agentgraph.NewMemStore(), "run", func(s *agentgraph.Step) (err error) {
		a := &callCount{}
		if err := s.Step("a", uses(a)); err != nil {
			return err
		}
		said, err = useInTurn(s, &callCount{1}, a)
		return err
	})
	require.ErrorIs(t, err, agentgraph.ErrAgentName)
	require.Equal(t, []int{2}, said)
}

// TestHiddenAgentAsBefore: one whose state the step has not changed has nothing to lose.
func TestHiddenAgentAsBefore(t *testing.T) {
	crashed(t, []int{3, 1}, func(s *agentgraph.Step) ([]int, error) {
		a, b := &callCount{}, &callCount{1}
		err := s.Step("both", func(s *agentgraph.Step) error { _, err := useInTurn(s, a, b); a.n = 0; return err })
		if err != nil {
			return nil, err
		}
		return useInTurn(s, b, a)
	})
}
