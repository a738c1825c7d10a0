package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Delete implements [agentgraph.Store]. It is one transaction, which first waits for
// an append to the run that is under way. It costs the number of records.
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

// delete leaves the records alone when there was no row of the run to delete. The
// records go until none is left, for the deletion of the last one waits for whoever
// appends behind it, and cannot see what that adds.
func (s *Store) delete(ctx context.Context, tx pgx.Tx, runID string) error {
	var life pgtype.UUID
	err := tx.QueryRow(ctx, s.sql.forget, runID).Scan(&life)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		gone, err := tx.Exec(ctx, s.sql.purge, life)
		if err != nil || gone.RowsAffected() == 0 {
			return err
		}
	}
}
