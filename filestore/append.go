package filestore

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// Append implements [agentgraph.Store].
//
// An older owner is fenced by more than the length: when the journal that this
// Store last knew was deleted and begun anew by another one, every append here that
// expects records conflicts until the new journal is read from its beginning. The
// random life in the first line tells them apart. A Store remembers this for some
// thousand runs, those it used last.
func (s *Store) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	lines, err := linesOf(runID, after, records)
	if err != nil {
		return err
	}
	if err := s.append(ctx, runID, after, lines); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// linesOf makes lines of records.
func linesOf(runID string, after uint64, records []agentgraph.Record) ([]frame.Line, error) {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return nil, err
	}
	lines := make([]frame.Line, len(records))
	for i, r := range records {
		r, err := r.Stored(after + 1 + uint64(i))
		if err != nil {
			return nil, err
		}
		lines[i] = frame.Line{Seq: r.Seq, Time: r.Time, Kind: r.Kind, Data: r.Data, More: i+1 < len(records)}
	}
	return lines, nil
}

func (s *Store) append(ctx context.Context, runID string, after uint64, lines []frame.Line) error {
	done, err := s.hold(ctx, runID)
	if err != nil {
		return err
	}
	defer done()
	flag := os.O_RDWR
	if after == 0 && len(lines) > 0 {
		flag |= os.O_CREATE
	}
	j, err := s.journal(ctx, runID, flag)
	if err != nil {
		return err
	}
	if j == nil {
		return compare(after, 0)
	}
	if err := s.appendTo(j, after, lines); err != nil {
		j.close()
		return err
	}
	s.keep(j)
	return nil
}

// journal is a run's, locked: the one that was kept, or opened; nil if there is none.
func (s *Store) journal(ctx context.Context, runID string, flag int) (*journal, error) {
	if j := s.idle.take(runID); j != nil {
		current, err := j.claim(ctx)
		if err != nil {
			return nil, err
		}
		if current {
			return j, nil
		}
	}
	return openJournal(ctx, s.disk, runID, flag)
}

// keep gives up the lock on a journal with which all went well, not the file.
func (s *Store) keep(j *journal) {
	if err := j.unlock(); err != nil {
		j.close()
		return
	}
	s.idle.put(j)
}

// appendTo appends to a journal that nobody else can change meanwhile.
func (s *Store) appendTo(j *journal, after uint64, lines []frame.Line) error {
	known := s.tails.Get(j.run)
	now, torn, err := j.end(known)
	if err != nil {
		return err
	}
	if err := compare(after, now.seq); err != nil {
		return err
	}
	if after > 0 && known.life != "" && known.life != now.life {
		return fmt.Errorf("%w: it was deleted and begun anew", agentgraph.ErrConflict)
	}
	if len(lines) == 0 {
		return nil
	}
	if torn > 0 {
		if err := j.moveAside(now.offset, torn, s.logger); err != nil {
			return err
		}
	}
	next, err := j.write(now, lines)
	if err != nil {
		return err
	}
	j.life = next.life
	s.tails.Set(j.run, next)
	return nil
}

// compare is the expected position against the true one.
func compare(after, last uint64) error {
	if after == last {
		return nil
	}
	return fmt.Errorf("%w: expected %d records, has %d", agentgraph.ErrConflict, after, last)
}
