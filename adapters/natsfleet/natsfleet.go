// Package natsfleet spreads runs over the machines of a fleet, on NATS JetStream.
//
//	f, err := natsfleet.Open(ctx, nc, natsfleet.Options{Replicas: 3})
//	err = f.Register(review)                       // the same flows on every machine
//	err = f.Submit(ctx, "review", "order/17", in)  // from anywhere
//	err = f.Work(ctx, 8)                           // on each machine that works
//	result, err := f.Wait(ctx, "order/17")         // from anywhere
//
// A run is a message in a work queue, and a journal. Whoever takes the message runs
// the flow under the run's ID, says that it is still at it, and acknowledges when
// the run is settled. When it dies the server hands the message to another one,
// which goes on from the journal. Should both be alive after all, the fence of the
// journal leaves one.
//
// All of this is JetStream's own: redelivery after a silence ([Options.Silence]),
// delayed redelivery for what passes ([Passing]), a limit of messages under way for
// each flow ([AtOnce]), and the expected sequence of a subject wherever two could
// meet.
//
// # What is promised
//
// A run whose Submit returned nil is settled in the end, if there are workers: it
// finishes, fails, is cancelled, or is set aside because it kills its workers. A
// step that the journal holds is not done again. A step that was under way when its
// worker died is done again, so what it does to the world it should do under a key
// of its own. What a power loss can take is what package natsstore says.
package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

const prefix = "agentgraph: "

// Options are what [Open] may be told. The zero value is ready.
type Options struct {
	// Name tells the fleet from others on the same servers: letters, digits, dashes
	// and underscores; default "agentgraph". Its streams are NAME-journal, NAME-runs
	// and NAME-queue.
	Name string

	// Replicas is how many servers keep the streams: 1, 3 or 5; default 1.
	Replicas int

	// Store keeps the journals; default is a natsstore in NAME-journal. All machines
	// of a fleet must have the same, and no other fleet: a run ID is one journal. While
	// it fails, runs are tried again every second.
	Store agentgraph.Store

	// Silence is after how long without a word from its worker a run goes to
	// another one; default 30 seconds, at least one, and the same on all machines. It
	// is the server that measures.
	Silence time.Duration

	// Grace is how long a worker that is told to stop lets its runs go on before it
	// hands them back; default 0.
	Grace time.Duration

	// Deaths is how many workers in a row a run may take with it, with nothing done
	// between, before it is set aside; default 5.
	Deaths int

	// Logger is told what becomes of runs; nil for nobody.
	Logger *slog.Logger
}

// Fleet is one machine's way into a fleet. It is safe for concurrent use, and has
// nothing to close but the connection, which is the caller's.
type Fleet struct {
	options Options
	link    link
	js      jetstream.JetStream
	store   agentgraph.Store
	runs    jetstream.Stream // a ticket for each run
	queue   jetstream.Stream // a message for each run that somebody is to work on
	pulse   time.Duration    // between two words of a worker that it is still at it

	mu    sync.Mutex
	flows map[string]*flow
	order []*flow // as they were registered
}

// Open looks for the streams of the fleet and makes those that are not there; ten
// machines may do so at once. It waits for a server and a leader until the context
// ends. A stream that is there but cannot be used is [ErrUnfit], or
// [natsstore.ErrUnfit]; JetStream that is not enabled is
// [jetstream.ErrJetStreamNotEnabled].
//
// The connection should reconnect for ever (MaxReconnects(-1) of package nats).
// While it is away, calls wait until their context ends.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Fleet, error) {
	o.Name = strings.TrimSpace(o.Name)
	if o.Name == "" {
		o.Name = "agentgraph"
	}
	f, err := open(ctx, nc, o)
	if err != nil {
		return nil, fmt.Errorf("%sopen fleet %q: %w", prefix, o.Name, unprefixed(err))
	}
	return f, nil
}

func open(ctx context.Context, nc *nats.Conn, o Options) (*Fleet, error) {
	if nc == nil {
		return nil, errors.New("no connection")
	}
	if !isName(o.Name) {
		return nil, errors.New("a name has letters, digits, dashes and underscores")
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	o.Silence = max(orElse(o.Silence, 30*time.Second), time.Second)
	o.Deaths = orElse(o.Deaths, 5)
	f := &Fleet{options: o, link: link{nc}, js: js, flows: map[string]*flow{}, pulse: o.Silence / 4}
	store := o.Store
	if store == nil { // first: it tells whether there is a JetStream that is new enough
		if store, err = natsstore.Open(ctx, nc, &natsstore.Options{Stream: o.Name + "-journal", Replicas: o.Replicas}); err != nil {
			return nil, err
		}
	}
	f.store = waking{store, f}
	return f, f.openStreams(ctx)
}

func orElse[T comparable](value, other T) T {
	var zero T
	if value == zero {
		return other
	}
	return value
}

// unprefixed lets an error of the library stand inside another one.
func unprefixed(err error) error {
	if text, ok := strings.CutPrefix(err.Error(), prefix); ok {
		return &reworded{text, err}
	}
	return err
}

type reworded struct {
	text string
	error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.error }

func (f *Fleet) log(level slog.Level, msg string, args ...any) {
	if l := f.options.Logger; l != nil {
		l.Log(context.Background(), level, msg, args...)
	}
}
