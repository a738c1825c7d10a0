package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
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

// delete leaves the records alone when there was no row of the run to delete: those
// that there are by now are of a journal that has just begun. Once it has deleted the
// row none can begin before the transaction ends.
func (s *Store) delete(ctx context.Context, tx pgx.Tx, runID string) error {
	gone, err := tx.Exec(ctx, s.sql.forget, runID)
	if err != nil || gone.RowsAffected() == 0 {
		return err
	}
	_, err = tx.Exec(ctx, s.sql.purge, runID)
	return err
}
