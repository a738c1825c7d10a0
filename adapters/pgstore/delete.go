package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Delete implements [agentgraph.Store]. It is one transaction, which waits for an
// append to the run that is under way. It costs the number of records.
func (s *Store) Delete(ctx context.Context, runID string) error {
	if err := s.begin(ctx, runID); err != nil {
		return err
	}
	err := pgx.BeginTxFunc(ctx, s.pool, readCommitted(), func(tx pgx.Tx) error { return s.delete(ctx, tx, runID) })
	if err != nil {
		return runError(runID, s.fault(ctx, err))
	}
	return nil
}

// purgeRecords is how many records one statement of a deletion deletes at most.
const purgeRecords = 10_000

// delete leaves the records alone when there was no row of the run to delete. The
// records go until none is left, for the deletion of the last one waits for whoever
// appends behind it, and cannot see what that adds. Each statement begins behind the
// records that are gone, which it would otherwise have to pass, while more are added.
func (s *Store) delete(ctx context.Context, tx pgx.Tx, runID string) error {
	var life pgtype.UUID
	err := tx.QueryRow(ctx, s.sql.forget, runID).Scan(&life)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	for last := int64(0); ; {
		gone, err := tx.Exec(ctx, s.sql.purge, life, last, purgeRecords)
		if err != nil || gone.RowsAffected() == 0 {
			return err
		}
		last += gone.RowsAffected() // or beyond that, in a journal with a gap
	}
}
