package natsstore

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// bare is the records of a page that comes without headers. That is several times
// faster, since a server puts six more of its own into each message that has any.
// There are none unless it is certain that these are the next: each message is a
// whole append, they go on from each other, and the last is where the page ends.
// Whatever else there is, and why, the headers tell.
func (r *reader) bare(ctx context.Context, end tail) ([]agentgraph.Record, error) {
	var p page
	err := r.store.patiently(ctx, r.store.directSubject(), func(wait time.Duration) (err error) {
		p, err = r.store.direct(ctx, r.subject, r.stored+1, true, wait)
		return err
	})
	if err != nil {
		return nil, err
	}
	records := following(r.at.seq, p.messages)
	if len(records) == 0 || p.last <= r.stored {
		return nil, nil
	}
	at := tail{seq: r.at.seq + uint64(len(records)), stored: p.last}
	if len(p.messages) < pageMessages && at != end {
		there, err := r.store.at(ctx, getRequest{Seq: at.stored})
		if err != nil || there != at {
			return nil, err
		}
	}
	r.begin(at)
	return records, nil
}

// following is the records of messages that go on from a record, or none.
func following(seq uint64, messages []*message) []agentgraph.Record {
	all := make([]agentgraph.Record, 0, len(messages))
	for _, m := range messages {
		records, err := recordsOf(m.text)
		if err != nil || records[0].Seq != seq+1 {
			return nil
		}
		all = append(all, records...)
		seq += uint64(len(records))
	}
	return all
}
