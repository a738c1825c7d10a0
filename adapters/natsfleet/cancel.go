package natsfleet

import (
	"context"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Cancel settles a run. A worker that is at it stops: the context of its steps
// ends, at once if the word arrives, else when it next says that it is still at it.
// It is nil for a run that is cancelled already, [ErrSettled] for one that is
// settled otherwise, and [agentgraph.ErrNoRun] for one that was never submitted.
func (f *Fleet) Cancel(ctx context.Context, runID string) error {
	_, err := f.change(ctx, runID, func(t *ticket) (bool, error) {
		if t.settled() && t.State != Cancelled {
			return false, runError(runID, ErrSettled)
		}
		changed := !t.settled()
		t.State = Cancelled
		return changed, nil
	})
	if err != nil {
		return err
	}
	f.tell(f.cancelSubject(runID))
	f.tell(f.settledSubject(runID))
	return nil
}

// Retry puts a run that failed, was cancelled or was set aside into the queue
// again; it goes on from its journal. One that was set aside gets one more worker.
// It is [ErrSettled] for a run that finished. A Retry that returned an error may be
// repeated.
func (f *Fleet) Retry(ctx context.Context, runID string) error {
	before, err := agentgraph.Inspect(ctx, f.store, runID)
	if err != nil {
		return err
	}
	changed := false
	t, err := f.change(ctx, runID, func(t *ticket) (bool, error) {
		if t.State == Finished {
			return false, runError(runID, ErrSettled)
		}
		changed = t.settled()
		t.State, t.Error, t.Retries, t.Story = "", "", 0, nil
		return changed, nil
	})
	if err != nil {
		return err
	}
	return f.requeue(ctx, t, func(now agentgraph.RunInfo) bool { return !changed || now.Attempts > before.Attempts })
}
