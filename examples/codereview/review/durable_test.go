package review

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
)

// What is skipped and what is taken are together the 31 turns of a review that nobody
// disturbs, also where all of the team's turns at a directory are skipped.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		merged int // directories, before the merger fails
		want   string
	}{
		{0, "14 turns skipped, 17 taken"},
		{1, "29 turns skipped, 2 taken"},
		{2, "all turns skipped, 0 taken"},
	} {
		store := agentgraph.NewMemStore()
		first, err := tally(t, store, c.merged)
		if failed := errors.Is(err, errMerger); failed != (c.merged < 2) {
			t.Fatalf("%d merged: %v", c.merged, err)
		}
		got, err := tally(t, store, 2)
		if err != nil || got != c.want {
			t.Errorf("%d merged: %s, and then %s, want %s: %v", c.merged, first, got, c.want, err)
		}
	}
}

var errMerger = errors.New("the merger is away")

// tally reviews two directories, one turn at a time, with a merger that fails after so
// many of them, and says what became of the turns.
func tally(t *testing.T, store agentgraph.Store, merged int) (string, error) {
	t.Helper()
	agents := registry(team(), 0)
	agents["merger"] = agentgraph.Atomic(agentgraph.EachContext(func(_ context.Context, in Post) ([]Post, error) {
		r := in.Body.Review
		if r.N > merged {
			return nil, errMerger
		}
		return []Post{{Body: Body{Summary: &Summary{r.Portion, join(r.Findings)}}}}, nil
	}))
	roster, err := agentgraph.ToRoster(graph(), agents)
	if err != nil {
		t.Fatal(err)
	}
	request := Request{Sources: []Source{{"a/a.go", "package a\n"}, {"b/b.go", "package b\n"}}}
	result, err := agentgraph.NewResumable("review", func(s *agentgraph.Step) error {
		_, err := Hold(s, roster.With(agentgraph.Options{MaxTurns: -1}))
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(t.Context(), "run", map[string]any{"request": request})
	return Tally(result.Steps), err
}
