package natsstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// errDeleted: what was there when the loop began is no more.
var errDeleted = errors.New("journal was deleted while it was read")

// reader goes through a journal, without the headers of its messages as long as
// that will do.
type reader struct {
	store   *Store
	subject string
	headers bool   // asks for them, too
	at      tail   // behind the last whole append
	stored  uint64 // the last message that was seen
	text    []byte // of the append that is not whole yet
	id      string // of that append
}

// read gives the records beyond after until the journal ends as it ended at first,
// or give says no. The end is the leader's word. The messages are those of any
// server that keeps the stream, and one that lags is asked again.
func (s *Store) read(ctx context.Context, runID string, after uint64, give func(agentgraph.Record) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	subject, known := s.subject(runID), s.tails.Get(runID)
	end, err := s.last(ctx, subject)
	if err != nil {
		return err
	}
	r := &reader{store: s, subject: subject}
	if known.seq == after && known.stored <= end.stored {
		r.begin(known)
	}
	whole := after == 0 || r.at == known
	for r.stored < end.stored {
		more, err := r.giveNext(ctx, after, end, give)
		if errors.Is(err, errDeleted) && r.at == known && known.seq > 0 {
			r.begin(tail{}) // it was deleted and begun anew before
			continue
		}
		if err != nil || !more {
			return err
		}
	}
	if whole {
		s.tails.Swap(runID, known, r.at)
	}
	return nil
}

func (r *reader) begin(at tail) { r.at, r.stored, r.text = at, at.stored, nil }

// giveNext gives what one request brings.
func (r *reader) giveNext(ctx context.Context, after uint64, end tail, give func(agentgraph.Record) bool) (more bool, err error) {
	records, failed := r.next(ctx, end)
	for _, record := range records {
		if record.Seq <= after {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !give(record) {
			return false, nil
		}
	}
	return failed == nil, failed
}

// next is the records of the next page, and after them what is wrong there.
func (r *reader) next(ctx context.Context, end tail) ([]agentgraph.Record, error) {
	if !r.headers {
		records, err := r.bare(ctx, end)
		if len(records) > 0 || err != nil {
			return records, err
		}
		r.headers = true
	}
	messages, err := r.fetch(ctx, end)
	if err != nil {
		return nil, err
	}
	var all []agentgraph.Record
	for _, m := range messages {
		records, err := r.take(m, end)
		if err != nil {
			return all, err
		}
		all = append(all, records...)
	}
	return all, nil
}

// take adds a message, and returns the records of the append that it makes whole.
func (r *reader) take(m *message, end tail) ([]agentgraph.Record, error) {
	id := m.header.Get(idHeader)
	if len(r.text) > 0 && r.id != id {
		if r.stored < end.stored && m.stored > end.stored {
			return nil, errDeleted
		}
		r.text = nil // it is there in part, and counts for nothing
	}
	r.stored = m.stored
	text := m.text
	if m.more() || len(r.text) > 0 {
		r.text, r.id = append(r.text, m.text...), id
		text = r.text
	}
	if m.more() {
		return nil, nil
	}
	r.text = nil
	records, err := recordsOf(text)
	if err != nil {
		return nil, corrupt(m.stored, err.Error())
	}
	first, last := records[0].Seq, records[len(records)-1].Seq
	switch {
	case first == r.at.seq+1:
		r.at = tail{seq: last, stored: m.stored}
		return records, nil
	case first == 1:
		return nil, errDeleted // and begun anew
	}
	return nil, corrupt(m.stored, fmt.Sprintf("record %d comes after %d", first, r.at.seq))
}

// fetch asks for messages until there are some.
func (r *reader) fetch(ctx context.Context, end tail) (messages []*message, err error) {
	err = r.store.patiently(ctx, r.store.directSubject(), func(wait time.Duration) error {
		p, err := r.store.direct(ctx, r.subject, r.stored+1, false, wait)
		if messages = p.messages; err != nil || len(messages) > 0 {
			return err
		}
		return r.gone(ctx, end, wait)
	})
	return messages, err
}

// gone tells a server that lags from a journal that is no more.
func (r *reader) gone(ctx context.Context, end tail, wait time.Duration) error {
	next, err := r.store.get(ctx, getRequest{Seq: r.stored + 1, Next: r.subject}, wait)
	if err != nil {
		return err
	}
	if next == nil || next.stored > end.stored && r.stored < end.stored {
		return errDeleted
	}
	return errAgain
}
