package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// order is a flow of steps, some of them at once, that counts how often each ran.
func order(store agentgraph.Store, ran map[string]int, fail string) *agentgraph.Resumable {
	step := func(name string) func(*agentgraph.Step) error {
		return func(s *agentgraph.Step) error {
			if name == fail {
				return errors.New("out of order")
			}
			s.Set(name, name+"!")
			ran[name]++
			return nil
		}
	}
	return agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
		if err := s.Step("reserve", step("reserve")); err != nil {
			return err
		}
		err := s.Step("pay", func(s *agentgraph.Step) error {
			if err := s.Step("charge", step("charge")); err != nil {
				return err
			}
			return s.Step("book", step("book"))
		})
		if err != nil {
			return err
		}
		return s.Step("ship", step("ship"))
	}, &agentgraph.ResumableOptions{Store: store})
}

// TestResume: a run that failed on one machine goes on on another.
func TestResume(t *testing.T) {
	if left(t) {
		return
	}
	ctx, ran := context.Background(), map[string]int{}
	o := &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	_, err := order(openURL(t, shared.url("postgres"), o), ran, "book").Run(ctx, "order/17", map[string]any{"item": "tea"})
	require.ErrorContains(t, err, "out of order")
	second := openURL(t, shared.url("postgres"), o)
	result, err := order(second, ran, "").Run(ctx, "order/17", map[string]any{"item": "tea"})
	require.NoError(t, err)
	require.Equal(t, `"ship!"`, string(result.Artifacts["ship"]))
	require.Equal(t, map[string]int{"reserve": 1, "charge": 1, "book": 1, "ship": 1}, ran)
	attempts, err := order(second, ran, "").StepsRun(ctx, "order/17")
	require.NoError(t, err)
	require.Len(t, attempts, 2)
}

var errCrash = errors.New("crashed")

// crashing is a store that dies at an append: before it, or after it with the answer
// lost.
type crashing struct {
	agentgraph.Store
	at    int // appends from now; 0 for one that has died
	after bool
}

func (s *crashing) Append(ctx context.Context, run string, after uint64, records ...agentgraph.Record) error {
	if s.at == 0 {
		return errCrash
	}
	s.at--
	if s.at > 0 {
		return s.Store.Append(ctx, run, after, records...)
	}
	if s.after {
		if err := s.Store.Append(ctx, run, after, records...); err != nil {
			return err
		}
	}
	return errCrash
}

func (s *crashing) Read(ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
	if s.at == 0 {
		return func(yield func(agentgraph.Record, error) bool) { yield(agentgraph.Record{}, errCrash) }
	}
	return s.Store.Read(ctx, run, after)
}

// TestCrashEverywhere: a flow that dies at any append goes on with another Store as if
// nothing had happened, and no step whose outcome is in the journal runs again.
func TestCrashEverywhere(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	o := &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	in := map[string]any{"item": "tea"}
	whole, err := order(openURL(t, shared.url("postgres"), o), map[string]int{}, "").Run(ctx, "whole", in)
	require.NoError(t, err)
	crashes := 0
	for at := 1; ; at++ {
		for _, after := range []bool{false, true} {
			run, ran := fmt.Sprintf("run %d %v", at, after), map[string]int{}
			first := &crashing{Store: openURL(t, shared.url("postgres"), o), at: at, after: after}
			_, err := order(first, ran, "").Run(ctx, run, in)
			if err == nil {
				require.Greater(t, crashes, 6, "some appends each way")
				return
			}
			require.ErrorIs(t, err, errCrash)
			crashes++
			result, err := order(openURL(t, shared.url("postgres"), o), ran, "").Run(ctx, run, in)
			require.NoError(t, err)
			require.Equal(t, whole.Artifacts, result.Artifacts)
			total := 0
			for _, times := range ran {
				total += times
			}
			if after {
				require.Equal(t, 4, total, "at append %d, which arrived: %v", at, ran)
			} else {
				require.LessOrEqual(t, total, 5, "at append %d", at)
			}
		}
	}
}
