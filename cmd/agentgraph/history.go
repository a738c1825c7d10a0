package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// history reads the journal of a run. One that has none is ErrNoRun.
func history(ctx context.Context, store agentgraph.Store, runID string) (*journal.History, error) {
	h, _, err := readable(ctx, store, runID)
	switch {
	case err != nil:
		return nil, err
	case len(h.Attempts) == 0:
		return nil, noRun(runID)
	}
	return h, nil
}

func noRun(runID string) error { return fmt.Errorf("run %q: %w", runID, agentgraph.ErrNoRun) }

// readable reads a journal as far as it is good, and says what is wrong after that.
func readable(ctx context.Context, store agentgraph.Store, runID string) (*journal.History, []agentgraph.Record, error) {
	h := journal.NewHistory(snapshot.NewKey())
	var records []agentgraph.Record
	for r, err := range store.Read(ctx, runID, 0) {
		if err == nil {
			err = h.Add(r.Kind, r.Seq, r.Time, r.Data)
		}
		if errors.Is(err, journal.ErrMalformed) {
			err = fmt.Errorf("run %q: %w: %w", runID, agentgraph.ErrCorrupt, err)
		}
		if err != nil {
			return h, records, err
		}
		records = append(records, r)
	}
	return h, records, nil
}

// number finds an attempt, counted from 1; 0 is the last one. It returns it
// counted from 0.
func number(c *cobra.Command, h *journal.History, wanted int) (int, error) {
	switch {
	case wanted == 0:
		return len(h.Attempts) - 1, nil
	case wanted < 0 || wanted > len(h.Attempts):
		return 0, misuse(c, "there is no attempt %d: the run has %d", wanted, len(h.Attempts))
	}
	return wanted - 1, nil
}

// runIDs returns the IDs of all runs in order, and what went wrong with others.
func runIDs(ctx context.Context, store agentgraph.Store) (ids []string, faults []error) {
	for id, err := range store.Runs(ctx) {
		if err != nil {
			faults = append(faults, err)
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, faults
}
