package filestore

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Delete implements [agentgraph.Store]. What was moved aside of the run goes too.
func (s *Store) Delete(ctx context.Context, runID string) error {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return err
	}
	if err := s.delete(ctx, runID); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// delete leaves what is known of the journal in s.tails, to fence those who knew
// it too.
func (s *Store) delete(ctx context.Context, runID string) error {
	done, err := s.hold(ctx, runID)
	if err != nil {
		return err
	}
	defer done()
	j, err := s.journal(ctx, runID, os.O_RDWR)
	if err != nil {
		return err
	}
	if j == nil {
		return s.disk.sync() // one who deleted it before may have died too early
	}
	defer j.close()
	return j.remove()
}
