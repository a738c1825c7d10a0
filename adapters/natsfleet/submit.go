package natsfleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// Submit hands a run to the fleet. An ID that was submitted before, to the same
// flow, stays one run, with its first input, also when it is settled by now; so a
// Submit that returned an error may be repeated, and should be, for it may be half
// done. It costs two messages.
//
// It is [ErrNoFlow], [ErrOtherFlow], [ErrTooLarge], [agentgraph.ErrBadRunID], or an
// *[agentgraph.ArtifactError] when JSON cannot hold the input.
func (f *Fleet) Submit(ctx context.Context, flow, runID string, input map[string]any) error {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return err
	}
	if f.flow(flow) == nil {
		return runError(runID, fmt.Errorf("%w: %q", ErrNoFlow, flow))
	}
	t, err := f.ticketOf(flow, runID, input)
	if err != nil {
		return err
	}
	if err := f.put(ctx, t); isConflict(err) {
		if t, err = f.ticket(ctx, runID); err != nil {
			return err
		}
		if t.Flow != flow {
			return runError(runID, fmt.Errorf("%w: %q", ErrOtherFlow, t.Flow))
		}
	} else if err != nil {
		return runError(runID, err)
	}
	if t.settled() {
		return nil
	}
	if _, err := f.enqueue(ctx, f.queueSubject(flow, runID)); err != nil {
		return runError(runID, err)
	}
	return nil
}

// ticketOf makes the ticket of a new run.
func (f *Fleet) ticketOf(flow, runID string, input map[string]any) (*ticket, error) {
	t := &ticket{Run: runID, Flow: flow, Submitted: time.Now().UTC(), Input: make(map[string]json.RawMessage, len(input))}
	total, largest := 0, ""
	for _, name := range slices.Sorted(maps.Keys(input)) {
		raw, err := canon.Marshal(input[name])
		if err == nil && !utf8.ValidString(name) {
			err = errors.New("its name is not valid UTF-8")
		}
		if err != nil {
			return nil, &agentgraph.ArtifactError{Artifact: name, Err: err}
		}
		t.Input[name] = raw
		total += len(name) + len(raw)
		if len(raw) > len(t.Input[largest]) {
			largest = name
		}
	}
	if limit := int(f.link.nc.MaxPayload()) - reserve; limit > 0 && total > limit {
		return nil, runError(runID, fmt.Errorf("%w: %d bytes, %d of them in artifact %q; this server takes %d",
			ErrTooLarge, total, len(t.Input[largest]), largest, limit))
	}
	return t, nil
}

// reserve is what the rest of a ticket may take of a message's size.
const reserve = 32 << 10

// enqueue puts a message into the queue, and returns false if there is one of that
// subject already.
func (f *Fleet) enqueue(ctx context.Context, subject string) (added bool, err error) {
	for {
		err := f.publish(ctx, subject, nil, 0)
		if !isConflict(err) {
			return err == nil, err
		}
		m, err := f.last(ctx, f.queue, subject)
		if m != nil || err != nil {
			return false, err
		}
		if !sleep(ctx, firstPause) { // it has gone meanwhile, or several replicas were not yet of one mind
			return false, ctx.Err()
		}
	}
}

// requeue sees to it that somebody works on a run after what was just written. If
// there is a message in the queue, whoever has it may be done with the run and about
// to give it up. So a new one must be taken, unless the journal shows that the run
// is in good hands.
func (f *Fleet) requeue(ctx context.Context, t *ticket, inHand func(agentgraph.RunInfo) bool) error {
	for {
		added, err := f.enqueue(ctx, f.queueSubject(t.Flow, t.Run))
		if err != nil {
			return runError(t.Run, err)
		}
		if added {
			return nil
		}
		now, err := agentgraph.Inspect(ctx, f.store, t.Run)
		if err != nil || inHand(now) {
			return err
		}
		if !sleep(ctx, requeuePause) {
			return runError(t.Run, ctx.Err())
		}
	}
}

// requeuePause is how soon to look again whether a message is gone that should be.
const requeuePause = 10 * time.Millisecond
