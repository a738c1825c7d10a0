package pgstore

import (
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-a2b66b4f/agentgraph"
)

// A page of a journal has at most so many records, and no more once it has so many
// bytes; a page of runs has at most so many.
const (
	pageRecords = 1000
	pageBytes   = 1 << 20
	pageRuns    = 1000
)

// Read implements [agentgraph.Store]. It gives what was there when the loop began. It
// asks for a page at a time, of 1 MB and what the last record has beyond, and costs
// what it gives. A journal that is deleted during the loop ends it with
// [agentgraph.ErrConflict], one that lacks records with [agentgraph.ErrCorrupt].
func (s *Store) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		if err := s.begin(ctx, runID); err != nil {
			yield(agentgraph.Record{}, err)
			return
		}
		r := &reader{store: s, run: runID, known: s.lives.Get(runID), first: after, after: after}
		for !r.done() {
			records, err := r.next(ctx)
			for _, record := range records {
				if !yield(record, nil) {
					return
				}
			}
			if err != nil {
				yield(agentgraph.Record{}, runError(runID, err))
				return
			}
		}
		r.remember()
	}
}

// reader is at a place in a journal.
type reader struct {
	store *Store
	run   string
	known pgtype.UUID // the life that the store knew
	first uint64      // the reading began after it
	after uint64      // the last record that was read

	began bool        // whether these are set:
	life  pgtype.UUID // of the journal that is read; not valid if there is none
	end   uint64      // its last record when the reading began
}

func (r *reader) done() bool { return r.began && r.after >= r.end }

// remember lets the store append to the journal that was read to its end.
func (r *reader) remember() {
	if r.life.Valid && (r.first == 0 || r.life == r.known) {
		r.store.lives.Swap(r.run, r.known, r.life)
	}
}

// next is the next page. Records that come with an error are good.
func (r *reader) next(ctx context.Context) ([]agentgraph.Record, error) {
	if err := r.store.usable(ctx); err != nil {
		return nil, err
	}
	rows, err := r.ask(ctx)
	if err != nil {
		return nil, r.store.fault(ctx, err)
	}
	if err := r.meet(rows); err != nil || r.done() {
		return nil, err
	}
	var records []agentgraph.Record
	for _, row := range rows {
		if row.seq == nil || uint64(*row.seq) != r.after+1 {
			return records, fmt.Errorf("%w: record %d of %d is missing", agentgraph.ErrCorrupt, r.after+1, r.end)
		}
		if r.done() {
			break
		}
		r.after++
		records = append(records, row.record())
	}
	return records, nil
}

// row is one of the answer: the head of the journal, and a record if there is one.
type row struct {
	life  pgtype.UUID
	last  uint64
	seq   *int64
	time  *time.Time
	nanos *int16
	kind  []byte
	data  []byte
}

func (w row) record() agentgraph.Record {
	at := w.time.UTC().Add(time.Duration(*w.nanos))
	return agentgraph.Record{Seq: uint64(*w.seq), Time: at, Kind: string(w.kind), Data: w.data}
}

func (r *reader) ask(ctx context.Context) ([]row, error) {
	after := int64(min(r.after, math.MaxInt64-pageRecords))
	return rowsOf(ctx, r.store, func(from pgx.CollectableRow) (w row, err error) {
		err = from.Scan(&w.life, &w.last, &w.seq, &w.time, &w.nanos, &w.kind, &w.data)
		return w, err
	}, r.store.sql.page, r.run, after, pageRecords, pageBytes)
}

func rowsOf[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], sql string, args ...any) (all []T, err error) {
	err = s.insist(ctx, func(db asker) error {
		rows, err := db.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scan)
		return err
	})
	return all, err
}

// meet looks at the head of a journal: there must be one all the time, or none.
func (r *reader) meet(rows []row) error {
	var head row
	if len(rows) > 0 {
		head = rows[0]
	}
	if head.life.Valid && head.last == 0 {
		return fmt.Errorf("%w: all records are missing", agentgraph.ErrCorrupt)
	}
	if !r.began {
		r.began, r.life, r.end = true, head.life, head.last
		return nil
	}
	if head.life != r.life {
		return fmt.Errorf("%w: it was deleted while it was read", agentgraph.ErrConflict)
	}
	return nil
}

// Runs implements [agentgraph.Store]. The order is that of the bytes of the IDs. It
// asks for a thousand at a time.
func (s *Store) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for {
			ids, err := s.runsAfter(ctx, last)
			if err != nil {
				yield("", fmt.Errorf("%sruns: %w", prefix, err))
				return
			}
			for _, id := range ids {
				if !yield(id, nil) {
					return
				}
				last = id
			}
			if len(ids) < pageRuns {
				return
			}
		}
	}
}

func (s *Store) runsAfter(ctx context.Context, last string) ([]string, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	ids, err := rowsOf(ctx, s, pgx.RowTo[string], s.sql.list, last, pageRuns)
	if err != nil {
		return nil, s.fault(ctx, err)
	}
	return ids, nil
}
