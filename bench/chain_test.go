package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// chain is n steps, one after the other, each of which sets the artifact that
// name says to 100 bytes. It counts the bodies that ran.
type chain struct {
	n    int
	name func(step int) string
	done func(steps int)
	ran  int
}

func (c *chain) body(s *agentgraph.Step) error {
	for i := range c.n {
		err := s.Step("step", func(s *agentgraph.Step) error {
			c.ran++
			s.Set(c.name(i), resultOf(i))
			return nil
		})
		if err != nil {
			return err
		}
		c.done(1)
	}
	return nil
}

func (c *chain) run(tb testing.TB, p place) *agentgraph.Result {
	r := agentgraph.NewResumable("chain", c.body, &agentgraph.ResumableOptions{Store: p.Store})
	result, err := r.Run(context.Background(), runID, map[string]any{})
	require.NoError(tb, err)
	return result
}

// requireWhole checks what a run of the chain left.
func (c *chain) requireWhole(tb testing.TB, result *agentgraph.Result) {
	require.Len(tb, result.Steps, c.n)
	require.Contains(tb, result.Artifacts, c.name(0))
	text := fmt.Sprintf(`{"step":"%06d","text":"%s"}`, c.n-1, resultOf(0).Text)
	require.JSONEq(tb, text, string(result.Artifacts[c.name(c.n-1)]))
}

// one is a state that stays as small as it is.
func one(int) string { return "result" }

// many is a state that grows by an artifact with each step.
func many(step int) string { return fmt.Sprintf("result-%06d", step) }

// resumable is a durable run of a chain.
func resumable(open func(testing.TB) place, name func(int) string) row {
	return func(tb testing.TB, c *clock, n int) {
		p := open(tb)
		defer p.close(tb)
		steps := &chain{n: n, name: name, done: c.done}
		c.start()
		result := steps.run(tb, p)
		c.stop()
		steps.requireWhole(tb, result)
		require.Equal(tb, n, steps.ran)
		require.GreaterOrEqual(tb, len(p.records(tb)), n)
		c.disk += p.size(tb)
	}
}

// BenchmarkW6Run is a durable run of n steps, each of which sets the same artifact.
func BenchmarkW6Run(b *testing.B) { benchRuns(b, one, []int{100, 1000, 10_000}) }

// BenchmarkW8GrowingState is one whose every step adds an artifact.
func BenchmarkW8GrowingState(b *testing.B) { benchRuns(b, many, []int{250, 500, 1000, 10_000}) }

// benchRuns is a chain of each length. The floors cost the same at any, so beyond
// 1000 steps the ratio alone has them.
func benchRuns(b *testing.B, name func(int) string, lengths []int) {
	size := bytesAStep(b, resumable(places[0].open, name))
	for _, n := range lengths {
		prefix := fmt.Sprintf("n=%d/", n)
		if n <= 1000 {
			benchFloors(b, prefix, size, n)
		}
		for _, place := range places {
			b.Run(prefix+"agentgraph/"+place.name, func(b *testing.B) {
				benchSteps(b, place.clock(b, size), n, resumable(place.open, name))
			})
		}
	}
}

// BenchmarkW7Resume is W6 run again when all is done.
func BenchmarkW7Resume(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		benchReads(b, finished(b, n), n, func(tb testing.TB, c *clock, p place) { resume(tb, c, p, n) })
	}
}

// finished is what a chain leaves.
func finished(tb testing.TB, n int) []agentgraph.Record {
	p := place{Store: agentgraph.NewMemStore()}
	steps := &chain{n: n, name: one, done: func(int) {}}
	steps.requireWhole(tb, steps.run(tb, p))
	return p.records(tb)
}

// resume runs a finished chain again.
func resume(tb testing.TB, c *clock, p place, n int) {
	steps := &chain{n: n, name: one, done: func(int) {}}
	c.start()
	result := steps.run(tb, p)
	c.done(n)
	c.stop()
	steps.requireWhole(tb, result)
	require.Zero(tb, steps.ran)
}

func TestChain(t *testing.T) {
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			c := place.clock(t, 200)
			resumable(place.open, one)(t, c, 100)
			require.Equal(t, 100, c.units)
			resumable(place.open, many)(t, c, 100)
			require.Equal(t, 200, c.units)

			c = &clock{stretch: 100, floor: func() float64 { return 1 }}
			for range 2 {
				p := filled(t, place.open, finished(t, 100))
				resume(t, c, p, 100)
				p.close(t)
			}
			require.Equal(t, 200, c.units)
			require.Len(t, c.ratios, 2)
		})
	}
}
