package agentgraph

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// noStore is the error where a store is needed.
func noStore() error { return fmt.Errorf("%s%w", prefix, ErrNoStore) }

// storeLog is the journal of one run in a store.
type storeLog struct {
	store Store
	runID string
}

func (l storeLog) Append(ctx context.Context, after uint64, lines []journal.Line) (bool, error) {
	records := make([]Record, len(lines))
	for i, line := range lines {
		records[i] = Record{Time: line.Time, Kind: line.Kind, Data: line.Data}
	}
	err := l.store.Append(ctx, l.runID, after, records...)
	if errors.Is(err, ErrTooLarge) {
		what, size := journal.Largest(lines)
		err = fmt.Errorf("%w; the largest value is %s, %d bytes", err, what, size)
	}
	return errors.Is(err, ErrConflict), err
}

func (l storeLog) Read(ctx context.Context, after uint64) iter.Seq2[journal.Line, error] {
	return func(yield func(journal.Line, error) bool) {
		for r, err := range l.store.Read(ctx, l.runID, after) {
			if !yield(journal.Line{Seq: r.Seq, Time: r.Time, Kind: r.Kind, Data: r.Data}, err) {
				return
			}
		}
	}
}

// historyRead reads the journal of a run, and says where it ends.
func historyRead(ctx context.Context, store Store, runID string) (*journal.History, uint64, error) {
	h := journal.NewHistory(snapshot.NewKey())
	end, err := h.Read(ctx, storeLog{store, runID}, 0)
	return h, end, journalError(runID, err)
}

// journalError says of an entry that makes no sense what a store says of damage.
func journalError(runID string, err error) error {
	if errors.Is(err, journal.ErrMalformed) {
		return fmt.Errorf("%srun %q: %w: %w", prefix, runID, ErrCorrupt, err)
	}
	return err
}
