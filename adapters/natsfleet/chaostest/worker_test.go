package chaostest

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// worker is a process that works on the flows of the tests.
type worker struct {
	URLs     string // of NATS
	Postgres string // URL of the database that keeps the journals; empty for NATS
	Options  natsfleet.Options
	Log      string // file to which the steps write
	AtOnce   int
}

// workers starts processes that work.
func workers(tb testing.TB, n int, w worker) []*process {
	tb.Helper()
	var all []*process
	for range n {
		all = append(all, newProcess(tb, child{Worker: &w}))
	}
	return all
}

func (w *worker) run() error {
	ctx := orphaned()
	store, err := w.database(ctx)
	if err != nil {
		return err
	}
	f, err := w.fleet(ctx, store)
	if err != nil {
		return err
	}
	if err := register(f, &diary{file: w.Log, store: rereading{f.Store()}}); err != nil {
		return err
	}
	return f.Work(ctx, w.AtOnce)
}

// database opens the store in PostgreSQL, once the server is there; nil if the fleet
// needs none. It ends with the process.
func (w *worker) database(ctx context.Context) (agentgraph.Store, error) {
	for w.Postgres != "" {
		store, err := pgstore.Open(ctx, w.Postgres, nil)
		if err == nil {
			return store, nil
		}
		if !pause(ctx, 50*time.Millisecond) {
			return nil, err
		}
	}
	return nil, nil
}

// fleet opens the worker's fleet, whose connection ends with the process.
func (w *worker) fleet(ctx context.Context, store agentgraph.Store) (*natsfleet.Fleet, error) {
	nc, err := nats.Connect(w.URLs,
		nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.RetryOnFailedConnect(true), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, err
	}
	o := w.Options
	o.Store = store
	return natsfleet.Open(ctx, nc, o)
}
