package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/seed-a2b66b4f/agentgraph"
)

// maxAppend is how many bytes of data and kinds one append may have: half of what
// PostgreSQL can hold in one value, for it can hold more than it can give back.
const maxAppend = 512 << 20

// Append implements [agentgraph.Store]. It is one statement and one round trip. There
// is another before it for a journal that this Store neither began nor read, and
// another after a conflict, to say how long the journal is. More than 512 MB in one
// append are [agentgraph.ErrTooLarge].
//
// When the context ends while the server is at work, the append may still arrive
// later, as a whole, if its place is still free by then.
//
// An older owner is fenced by more than the length: when the journal that this Store
// last knew was deleted and begun anew by another one, every append here that expects
// records conflicts until the new journal is read from its beginning. A Store
// remembers this for some thousand runs, those it used last.
func (s *Store) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if err := s.begin(ctx, runID); err != nil {
		return err
	}
	add, err := batchOf(runID, after, records)
	if err != nil {
		return err
	}
	life, err := s.append(ctx, add)
	if err != nil {
		return runError(runID, err)
	}
	if life.Valid {
		s.lives.Set(runID, life)
	}
	return nil
}

// batch is what an append adds, a column at a time.
type batch struct {
	run    string
	after  uint64
	times  []time.Time
	nanos  []int16 // beyond the microseconds
	kinds  [][]byte
	data   [][]byte
	weight int
}

func batchOf(runID string, after uint64, records []agentgraph.Record) (*batch, error) {
	b := &batch{run: runID, after: after}
	for i, r := range records {
		r, err := r.Stored(after + 1 + uint64(i))
		if err != nil {
			return nil, err
		}
		b.times = append(b.times, r.Time)
		b.nanos = append(b.nanos, int16(r.Time.Nanosecond()%1000))
		b.kinds = append(b.kinds, []byte(r.Kind))
		b.data = append(b.data, r.Data)
		b.weight += len(r.Kind) + len(r.Data)
	}
	return b, nil
}

// append returns the life of the journal, which is not valid if there is none.
func (s *Store) append(ctx context.Context, b *batch) (life pgtype.UUID, err error) {
	if err := checkWeight(b.weight); err != nil {
		return life, err
	}
	if len(b.data) == 0 || b.after > math.MaxInt64-uint64(len(b.data)) {
		return s.compare(ctx, b)
	}
	if life, err = s.lifeOf(ctx, b); err != nil {
		return life, err
	}
	written, err := s.write(ctx, b, life)
	if codeOf(err) == codeUnique || err == nil && !written {
		return life, s.conflict(ctx, b)
	}
	if err != nil {
		return life, s.fault(ctx, err)
	}
	return life, nil
}

// lifeOf is that of the journal that an append is for, a new one if that is to begin.
func (s *Store) lifeOf(ctx context.Context, b *batch) (life pgtype.UUID, err error) {
	if b.after == 0 {
		life.Valid = true
		_, err = rand.Read(life.Bytes[:])
		return life, err
	}
	if life = s.lives.Get(b.run); life.Valid {
		return life, nil
	}
	return s.compare(ctx, b)
}

func checkWeight(bytes int) error {
	if bytes > maxAppend {
		return fmt.Errorf("%w: %d bytes in one append; PostgreSQL takes %d", agentgraph.ErrTooLarge, bytes, maxAppend)
	}
	return nil
}

// write is false if the journal has not the length that the batch expects.
func (s *Store) write(ctx context.Context, b *batch, life pgtype.UUID) (written bool, err error) {
	to, args := s.sql.many, []any{life, int64(b.after), b.times, b.nanos, b.kinds, b.data}
	if len(b.data) == 1 {
		to, args = s.sql.one, []any{life, int64(b.after), b.times[0], b.nanos[0], b.kinds[0], b.data[0]}
	}
	sql := to.extend
	if b.after == 0 {
		sql, args = to.start, append(args, b.run)
	}
	err = s.insist(ctx, func(db asker) error {
		done, err := db.Exec(ctx, sql, args...)
		written = done.RowsAffected() > 0
		return err
	})
	return written, err
}

// compare returns the life of a journal that is as long as the append expects.
func (s *Store) compare(ctx context.Context, b *batch) (life pgtype.UUID, err error) {
	last, life, err := s.head(ctx, b.run)
	if err != nil {
		return life, s.fault(ctx, err)
	}
	if fault := s.differs(b, last, life); fault != "" {
		return life, fmt.Errorf("%w: %s", agentgraph.ErrConflict, fault)
	}
	return life, nil
}

// conflict says what an append that the server refused has met. It is a conflict even
// if there is no answer.
func (s *Store) conflict(ctx context.Context, b *batch) error {
	last, life, err := s.head(ctx, b.run)
	fault := s.differs(b, last, life)
	if err != nil || fault == "" {
		fault = fmt.Sprintf("expected %d records, had another number", b.after)
	}
	return fmt.Errorf("%w: %s", agentgraph.ErrConflict, fault)
}

// head is all zero for a journal that is not there.
func (s *Store) head(ctx context.Context, runID string) (last uint64, life pgtype.UUID, err error) {
	err = s.insist(ctx, func(db asker) error { return db.QueryRow(ctx, s.sql.head, runID).Scan(&life, &last) })
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, life, nil
	}
	return last, life, err
}

// differs says how a journal differs from the one that an append expects.
func (s *Store) differs(b *batch, last uint64, life pgtype.UUID) string {
	if last != b.after {
		return fmt.Sprintf("expected %d records, has %d", b.after, last)
	}
	if known := s.lives.Get(b.run); last > 0 && known.Valid && known != life {
		return "it was deleted and begun anew"
	}
	return ""
}
