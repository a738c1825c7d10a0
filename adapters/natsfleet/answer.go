package natsfleet

import (
	"context"
	"errors"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// Store is where the fleet keeps its journals. An answer that is given through it,
// by [agentgraph.Answer], [agentgraph.AnswerSeat] or a page of package viewer, puts
// a run that waits into the queue again.
func (f *Fleet) Store() agentgraph.Store { return f.store }

// Answer is [agentgraph.Answer] in the fleet's store: the run goes on with it. An
// Answer that returned an error may be repeated. It returns once the run is sure to
// go on, which can take [Options.Silence] if the run's worker died just then. For a run
// that is settled, but was waiting, it is kept until [Fleet.Retry].
func (f *Fleet) Answer(ctx context.Context, runID, stepPath string, value any) error {
	return agentgraph.Answer(ctx, f.store, runID, stepPath, value)
}

// waking is a store in which an answer wakes its run.
type waking struct {
	agentgraph.Store
	fleet *Fleet
}

// Append implements [agentgraph.Store].
func (w waking) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if err := w.Store.Append(ctx, runID, after, records...); err != nil {
		return err
	}
	for _, r := range records {
		if r.Kind == journal.KindAnswer {
			return w.fleet.wake(ctx, runID)
		}
	}
	return nil
}

// wake is Wake for any run of the store, which may be none of the fleet's.
func (f *Fleet) wake(ctx context.Context, runID string) error {
	err := f.Wake(ctx, runID)
	if errors.Is(err, agentgraph.ErrNoRun) {
		return nil
	}
	return err
}

// Wake lets a run go on at once that has got an answer in another way than through
// [Fleet.Store]: by the command line, say. Without it the workers find out by
// themselves, at first after [Options.Silence], in the end after ten times that. For a
// run that does not wait it does nothing. It is [agentgraph.ErrNoRun] for one that was
// never submitted.
func (f *Fleet) Wake(ctx context.Context, runID string) error {
	t, err := f.ticket(ctx, runID)
	if err != nil || t.settled() {
		return err
	}
	// As long as the attempt goes on, nothing is to be done: whoever works on it looks
	// for answers after the attempt's end, before the message is given up.
	return f.requeue(ctx, t, func(now agentgraph.RunInfo) bool {
		return now.Status != agentgraph.RunWaiting && now.Status != agentgraph.RunAnswered
	})
}
