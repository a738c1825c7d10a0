package agentgraph_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// gives is a step with a result.
func gives[T any](value T) func(*agentgraph.Step) error {
	return func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "d#", func(context.Context) (T, error) { return value, nil })
		return err
	}
}

// oneWay is written as a number, which it cannot be read from.
type oneWay struct{}

func (oneWay) MarshalJSON() ([]byte, error)   { return []byte("1"), nil }
func (oneWay) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, new(string)) }

// TestRetyped: where the type of a step's result has changed, the error of each
// attempt names the step and says what to do.
func TestRetyped(t *testing.T) {
	ask := func(s *agentgraph.Step) error { _, err := agentgraph.Ask[int](s, "d#", "?"); return err }
	askText := func(s *agentgraph.Step) error { _, err := agentgraph.Ask[string](s, "d#", "?"); return err }
	const mismatch = `artifact "d#": json: cannot unmarshal number into Go value of type string`
	for _, c := range []struct {
		name          string
		before, after func(*agentgraph.Step) error
		why           string
	}{
		{"Do", gives(1), gives("1"), mismatch},
		{"Ask", ask, askText, mismatch},
		{"Step to Do", func(s *agentgraph.Step) error { return s.Step("d#", sets("other", 1)) }, gives("1"), `artifact "d#": no such artifact`},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, store := context.Background(), agentgraph.NewMemStore()
			_, err := inSteps(store, func(s *agentgraph.Step) error {
				if err := c.before(s); err != nil {
					return err
				}
				return errOwn
			}).Run(ctx, "r", nil)
			require.Error(t, err)
			if c.name == "Ask" {
				require.NoError(t, agentgraph.Answer(ctx, store, "r", "outer/inner/d%23", 1))
				_, err = inSteps(store, func(s *agentgraph.Step) error { _ = c.before(s); return errOwn }).Run(ctx, "r", nil)
			}
			require.ErrorIs(t, err, errOwn)
			_, err = inSteps(store, c.after).Run(ctx, "r", nil)
			requireStepError(t, err, "outer/inner")
			require.ErrorContains(t, err, `step "outer/inner": step "outer/inner/d%23": the result that an earlier attempt recorded does not fit; if its type has changed, name the step anew: `+c.why)
			var bad *agentgraph.ArtifactError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, "d#", bad.Artifact)
		})
	}
}

// TestRetypedNow: a result that was recorded just now, and does not fit, is no other
// type of earlier.
func TestRetypedNow(t *testing.T) {
	_, err := agentgraph.NewResumable("job", gives(oneWay{}), nil).Run(context.Background(), "", nil)
	requireStepError(t, err, "")
	require.EqualError(t, err, `agentgraph: run without an ID: artifact "d#": json: cannot unmarshal number into Go value of type string`)
}

// TestRetypedAnew: a step of another name is what the error says it is, a way out.
func TestRetypedAnew(t *testing.T) {
	store := agentgraph.NewMemStore()
	for _, c := range []struct {
		body func(*agentgraph.Step) error
		ok   bool
	}{{gives(1), true}, {gives("1"), false}, {gives("1"), false}, {func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "d2", func(context.Context) (string, error) { return "1", nil })
		return err
	}, true}} {
		_, err := agentgraph.NewResumable("job", c.body, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "r", nil)
		require.Equal(t, c.ok, err == nil, err)
	}
}
