// Package natsstore keeps journals in a NATS JetStream stream: one subject a run,
// one message an append.
//
//	s, err := natsstore.Open(ctx, nc, &natsstore.Options{Replicas: 3})
//
// The fence is the server's own: an append is published with the sequence that the
// subject must still end with. An append costs one publish with its acknowledgement,
// and the first one to a journal through a Store, unless a Read has been there, a
// look at the journal's end. An append that is larger than one message may be goes
// out as one atomic batch of messages, up to a thousand.
//
// # What it waits for
//
// A call waits while there is no connection, no leader and no answer, and asks
// again, until its context ends: give it one that does. It never takes its own
// append for another's: each carries an ID, by which an append whose answer was lost
// is found again. After an error the records may still arrive, for as long as the
// network or a server holds them; the fence then lets one of two in, as always.
//
// The end of a journal is what the stream's leader says. One that is cut off, and
// does not know yet that another leads, may say an older one for some seconds; an
// append that goes on from there is then a conflict, and never lost.
//
// # What a power loss may take
//
// A JetStream server acknowledges what it has handed to its operating system, and
// syncs it to the disk later: every two minutes unless it is told otherwise. A
// server process that is killed loses nothing. A machine that loses power, or whose
// kernel dies, may lose the last minutes of what was acknowledged; with three
// replicas so may a journal whose machines go down together, and after a bad order
// of failures even one of three can take acknowledged records with it. The server's
// setting
//
//	jetstream { sync_interval: always }
//
// ends that: a record is synced before it is acknowledged, at the price of a sync
// an append. No client can ask for it, and none can see it through JetStream.
// [Options.Sync] therefore looks with a connection to the system account. What it
// cannot see: a server that joins or takes over a replica later, a setting that is
// changed after Open, and whether a disk or a hypervisor keeps what it has synced.
package natsstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/recent"
)

const prefix = "agentgraph: "

// Options are what [Open] may be told. The zero value is ready.
type Options struct {
	// Stream is the stream's name, and the first token of its subjects; default
	// "agentgraph".
	Stream string

	// Existing asks for a stream that is there: Open makes none, and returns
	// [ErrNoStream]. It is for whoever only looks, and may have the name wrong.
	Existing bool

	// Replicas is how many servers keep the stream: 1, 3 or 5; default 1. A stream
	// that is there must have as many, and may have more.
	Replicas int

	// MaxBytes is what a stream that Open makes may hold; 0 is no limit. A full
	// stream refuses appends and loses nothing.
	MaxBytes int64

	// Sync asks that every server which keeps the stream syncs a record before it
	// acknowledges it; else Open returns [ErrNotSynced]. System is a connection to
	// the system account of the same servers, through which Open sees that; it is
	// used in Open alone.
	Sync   bool
	System *nats.Conn
}

// Store is an [agentgraph.Store] in a stream. It is safe for concurrent use, holds
// nothing open, and has nothing to close but the connection, which is the caller's.
type Store struct {
	link   link
	stream string
	limit  int64 // the stream's own, of a message
	tails  recent.Map[tail]
}

var _ agentgraph.Store = (*Store)(nil)

// Open looks for the stream and, unless it is to exist, makes it where there is none;
// ten may do so at once. It changes no stream that is there, and returns [ErrUnfit] if that one does
// not keep what it is given. It waits for a server and a leader until the context
// ends. JetStream that is not enabled is [jetstream.ErrJetStreamNotEnabled].
//
// The connection stays the caller's. It should reconnect for ever (MaxReconnects(-1)
// of package nats): once it is closed, every call is [nats.ErrConnectionClosed].
func Open(ctx context.Context, nc *nats.Conn, o *Options) (*Store, error) {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Stream == "" {
		all.Stream = "agentgraph"
	}
	s, err := open(ctx, nc, all)
	if err != nil {
		return nil, fmt.Errorf("%sopen stream %q: %w", prefix, all.Stream, err)
	}
	return s, nil
}

func (s *Store) subject(runID string) string { return s.stream + "." + escaped(runID) }

// Append implements [agentgraph.Store]. Records that are too large for one append
// are [agentgraph.ErrTooLarge]; a larger max_payload lets in more. A full stream, or
// disk, is the server's error, a [*jetstream.APIError]; what such a server has kept of
// an append counts for nothing, unless it puts in the rest when it is started anew.
//
// An older owner is fenced by more than the length: when the journal that this
// Store last knew was deleted and begun anew by another one, an append here that
// goes on from what was known conflicts until the new journal is read. A Store
// remembers this for some thousand runs, those it used last.
func (s *Store) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	b, err := batchOf(runID, after, records)
	if err != nil {
		return err
	}
	if err := s.append(ctx, runID, after, b); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// Read implements [agentgraph.Store]. It holds an append and some megabytes in
// memory, and between two records nothing on the server. Records of one append
// share a piece of memory, and none the same bytes. It costs what it gives when after
// is where this Store last knew the end, else the whole journal. A journal that is
// deleted while it is read ends in an error.
func (s *Store) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		if err := agentgraph.CheckRunID(runID); err != nil {
			yield(agentgraph.Record{}, err)
			return
		}
		more := true
		err := s.read(ctx, runID, after, func(r agentgraph.Record) bool {
			more = yield(r, nil)
			return more
		})
		if err != nil && more {
			yield(agentgraph.Record{}, fmt.Errorf("%srun %q: %w", prefix, runID, err))
		}
	}
}

// Runs implements [agentgraph.Store], in the order of their subjects. It holds
// 100,000 IDs in memory, which is what the server gives at once. A subject that
// stands for no run is [agentgraph.ErrBadRunID], and the others follow.
func (s *Store) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		more := true
		err := s.subjects(ctx, func(subject string) bool {
			runID, err := s.runOf(subject)
			more = yield(runID, err)
			return more
		})
		if err != nil && more {
			yield("", fmt.Errorf("%sruns: %w", prefix, err))
		}
	}
}

// Delete implements [agentgraph.Store].
func (s *Store) Delete(ctx context.Context, runID string) error {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return err
	}
	if err := s.delete(ctx, runID); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}
