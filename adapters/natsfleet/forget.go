package natsfleet

import (
	"context"
	"errors"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Forget deletes the journal and the ticket of a run that is settled; else they are
// kept for ever. Its ID is free again. It is [ErrNotSettled] for one that goes on,
// and [agentgraph.ErrNoRun] for one that was never submitted. A Forget that returned
// an error may be repeated.
func (f *Fleet) Forget(ctx context.Context, runID string) error {
	t, err := f.ticket(ctx, runID)
	if err != nil {
		return err
	}
	if !t.settled() {
		return runError(runID, ErrNotSettled)
	}
	if err := f.store.Delete(ctx, runID); err != nil {
		return err
	}
	err = f.link.patiently(ctx, "$JS.API.STREAM.MSG.DELETE."+f.runsName(), func(ctx context.Context) error {
		return f.runs.DeleteMsg(ctx, t.revision)
	})
	if err == nil {
		return nil
	}
	if _, gone := f.ticket(ctx, runID); errors.Is(gone, agentgraph.ErrNoRun) {
		return nil // somebody has, perhaps this call, whose answer was lost
	}
	return runError(runID, err)
}
