package filestore

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// Read implements [agentgraph.Store]. It gives what was there when the loop began,
// holds one batch in memory, and holds no lock in the body of the loop. It costs
// what it gives when after is where this Store last knew the end, else the whole
// journal.
func (s *Store) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		if err := agentgraph.CheckRunID(runID); err != nil {
			yield(agentgraph.Record{}, err)
			return
		}
		r, err := s.reader(ctx, runID, after)
		if err == nil && r != nil {
			defer r.close()
			err = r.each(ctx, after, func(l frame.Line) bool {
				return yield(agentgraph.Record{Seq: l.Seq, Time: l.Time, Kind: l.Kind, Data: l.Data}, nil)
			})
		}
		if err != nil {
			yield(agentgraph.Record{}, fmt.Errorf("%srun %q: %w", prefix, runID, err))
		}
	}
}

// reader opens a journal to read it up to its end as of now; nil if there is none.
func (s *Store) reader(ctx context.Context, runID string, after uint64) (*reader, error) {
	done, err := s.hold(ctx, runID)
	if err != nil {
		return nil, err
	}
	defer done()
	j, err := openJournal(ctx, s.disk, runID, os.O_RDONLY)
	if j == nil || err != nil {
		return nil, err
	}
	r, err := s.readerOf(j, after)
	if err != nil {
		j.close()
		return nil, err
	}
	return r, nil
}

func (s *Store) readerOf(j *journal, after uint64) (*reader, error) {
	known := s.tails.Get(j.run)
	same, size, err := j.knows(known)
	if err != nil {
		return nil, err
	}
	if !same || size > known.offset {
		if err := j.settle(); err != nil { // someone may have died between write and sync
			return nil, err
		}
	}
	from := tail{}
	if same && known.seq == after {
		from = known
	}
	end, err := j.quickEnd(from, size)
	if err != nil {
		return nil, err
	}
	if err := j.unlock(); err != nil {
		return nil, err
	}
	r := &reader{journal: j, scanner: j.scan(from, end)}
	if same || after == 0 {
		r.whole = func(now tail) { s.tails.Swap(j.run, known, now) }
	}
	return r, nil
}
