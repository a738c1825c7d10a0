package natsstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/seed-a2b66b4f/agentgraph"
)

func (s *Store) append(ctx context.Context, runID string, after uint64, b batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(b.text) == 0 {
		return s.compare(ctx, runID, after)
	}
	expected, err := s.position(ctx, runID, after)
	if err != nil {
		return err
	}
	var stored uint64
	subject, from := s.subject(runID), tail{seq: after, stored: expected}
	err = s.patiently(ctx, subject, func(wait time.Duration) (err error) {
		stored, err = s.publish(ctx, subject, from.stored, &b, wait)
		if isConflict(err) {
			stored, err = s.judge(ctx, subject, &from, &b, wait)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.tails.Set(runID, tail{seq: b.last, stored: stored})
	return nil
}

// patiently is what link does, and finds out whether nobody answers because the
// stream is gone.
func (s *Store) patiently(ctx context.Context, subject string, try func(wait time.Duration) error) error {
	return s.link.patiently(ctx, subject, func(wait time.Duration) error {
		err := try(wait)
		if errors.Is(err, nats.ErrNoResponders) {
			there := s.link.api(ctx, "STREAM.INFO."+s.stream, struct{}{}, wait, &failure{})
			if codeOf(there) == jetstream.JSErrCodeStreamNotFound {
				return there
			}
		}
		return err
	})
}

// position is the sequence that the subject must end with.
func (s *Store) position(ctx context.Context, runID string, after uint64) (uint64, error) {
	if after == 0 {
		return 0, nil
	}
	if known := s.tails.Get(runID); known.seq == after {
		return known.stored, nil
	}
	last, err := s.last(ctx, s.subject(runID))
	if err != nil {
		return 0, err
	}
	return last.stored, conflict(after, last.seq)
}

// compare is all that an append without records does.
func (s *Store) compare(ctx context.Context, runID string, after uint64) error {
	known := s.tails.Get(runID)
	last, err := s.last(ctx, s.subject(runID))
	if err != nil {
		return err
	}
	if after > 0 && known.seq == after && !last.half {
		return conflictOf(known, last)
	}
	return conflict(after, last.seq)
}

// conflict is the expected position against the true one.
func conflict(after, last uint64) error {
	if after == last {
		return nil
	}
	return fmt.Errorf("%w: expected %d records, has %d", agentgraph.ErrConflict, after, last)
}

// conflictOf is the expected end against the true one.
func conflictOf(from, last tail) error {
	if from.seq == last.seq && from.stored != last.stored {
		return fmt.Errorf("%w: it was deleted and begun anew", agentgraph.ErrConflict)
	}
	return conflict(from.seq, last.seq)
}

// judge says what a conflict means that the server has told: the append is in,
// since an earlier try was; or the subject ends where it should and the server only
// had another append under way, which may come to nothing; or one has come to nothing
// there, and the next try goes behind that; or it is a conflict.
func (s *Store) judge(ctx context.Context, subject string, from *tail, b *batch, wait time.Duration) (stored uint64, err error) {
	last, err := s.lastOnce(ctx, subject, wait)
	if err != nil {
		return 0, err
	}
	if last.stored == from.stored {
		return 0, errAgain
	}
	if last.stored > from.stored {
		next, err := s.get(ctx, getRequest{Seq: from.stored + 1, Next: subject}, wait)
		if err != nil {
			return 0, err
		}
		if last.half && last.seq == from.seq && next != nil && next.follows(from.seq) {
			from.stored, b.id = last.stored, nuid.Next() // the half may be ours
			return 0, errAgain
		}
		if next != nil && next.header.Get(idHeader) == b.id {
			return s.endOf(ctx, subject, b, next, wait)
		}
	}
	return 0, conflictOf(*from, last)
}

// endOf is the sequence of the last message of an append that is in. Those of one
// append follow each other in the stream.
func (s *Store) endOf(ctx context.Context, subject string, b *batch, m *message, wait time.Duration) (stored uint64, err error) {
	for m.more() {
		next, err := s.get(ctx, getRequest{Seq: m.stored + 1, Next: subject}, wait)
		if err != nil {
			return 0, err
		}
		if next == nil || next.header.Get(idHeader) != b.id {
			return 0, fmt.Errorf("%w: it was deleted, or the server has but a part of the append", agentgraph.ErrConflict)
		}
		m = next
	}
	return m.stored, nil
}

// reserve is what the headers of a message may take of its size.
const reserve = 1024

// piece is how much text one message takes.
func (s *Store) piece() int {
	limit := s.link.nc.MaxPayload()
	if s.limit > 0 {
		limit = min(limit, s.limit)
	}
	return max(int(limit)-reserve, 0)
}

// publish sends the batch once, and returns the sequence of its last message.
func (s *Store) publish(ctx context.Context, subject string, expected uint64, b *batch, wait time.Duration) (uint64, error) {
	piece := s.piece()
	if len(b.text) > piece {
		return s.publishPieces(ctx, subject, expected, b, piece, wait)
	}
	m := b.message(subject, b.text, false)
	expect(m, expected)
	return s.send(ctx, m, wait)
}

func expect(m *nats.Msg, stored uint64) {
	m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(stored, 10)}
}

// send publishes one message. That of an atomic batch has no sequence until the
// last.
func (s *Store) send(ctx context.Context, m *nats.Msg, wait time.Duration) (uint64, error) {
	var ack struct {
		failure
		Stored uint64 `json:"seq"`
	}
	err := s.link.ask(ctx, m, wait, &ack)
	return ack.Stored, err
}

// Headers of an atomic batch.
const (
	batchHeader       = "Nats-Batch-Id"
	batchPlaceHeader  = "Nats-Batch-Sequence"
	batchCommitHeader = "Nats-Batch-Commit"

	maxPieces = 1000 // the server's own limit
)

// publishPieces sends the batch as an atomic one: the server keeps all or none, and
// compares at the end. It waits for each piece to be taken, so that as many bytes
// as one message has are under way.
func (s *Store) publishPieces(ctx context.Context, subject string, expected uint64, b *batch, piece int, wait time.Duration) (uint64, error) {
	if len(b.text) > maxPieces*piece {
		return 0, b.tooLarge(fmt.Sprintf("this server takes %d", maxPieces*piece))
	}
	id := nuid.Next() // a server that has lost the beginning of one must not go on with it
	for place := 1; ; place++ {
		from := (place - 1) * piece
		to := min(from+piece, len(b.text))
		m := b.message(subject, b.text[from:to], to < len(b.text))
		m.Header[batchHeader] = []string{id}
		m.Header[batchPlaceHeader] = []string{strconv.Itoa(place)}
		if place == 1 {
			expect(m, expected)
		}
		if to == len(b.text) {
			m.Header[batchCommitHeader] = []string{"1"}
		}
		stored, err := s.send(ctx, m, wait)
		if codeOf(err) == codeBatchTooLarge {
			return 0, b.tooLarge(err.Error())
		}
		if err != nil || to == len(b.text) {
			return stored, err
		}
	}
}

func (b *batch) tooLarge(limit string) error {
	return fmt.Errorf("%w: %d bytes in one append, %d of them in record %d of kind %q; %s",
		agentgraph.ErrTooLarge, len(b.text), b.most.size, b.most.seq, b.most.kind, limit)
}
