package natsfleet_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// unsynced spares a test the disk.
func unsynced(o *server.Options) { o.SyncAlways = false }

// embedded is a server of the test's own.
func embedded(tb testing.TB, change ...func(*server.Options)) *natsfleet.Server {
	tb.Helper()
	s, err := natsfleet.Embedded(tb.TempDir(), append([]func(*server.Options){unsynced}, change...)...)
	require.NoError(tb, err)
	tb.Cleanup(s.Close)
	return s
}

// connect is a connection that never gives up.
func connect(tb testing.TB, s *natsfleet.Server, o ...nats.Option) *nats.Conn {
	tb.Helper()
	nc, err := s.Connect(append([]nats.Option{nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, o...)...)
	require.NoError(tb, err)
	tb.Cleanup(nc.Close)
	return nc
}

// within is a context that ends a test which would hang.
func within(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// fleet is one of a machine with these flows.
func fleet(tb testing.TB, nc *nats.Conn, o natsfleet.Options, flows ...*agentgraph.Resumable) *natsfleet.Fleet {
	tb.Helper()
	f, err := natsfleet.Open(within(tb), nc, o)
	require.NoError(tb, err)
	for _, flow := range flows {
		require.NoError(tb, f.Register(flow))
	}
	return f
}

// work lets a fleet work until the test ends, or the returned function is called.
func work(tb testing.TB, f *natsfleet.Fleet, concurrency int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Work(ctx, concurrency) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(tb, <-done)
	})
	tb.Cleanup(stop)
	return stop
}

// flow is one in a single step.
func flow(name string, body func(context.Context) (int, error)) *agentgraph.Resumable {
	return agentgraph.NewResumable(name, func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "result", body)
		return err
	}, nil)
}

func seven(context.Context) (int, error) { return 7, nil }

// status waits until a run is in a state.
func status(tb testing.TB, f *natsfleet.Fleet, runID string, want natsfleet.State) natsfleet.Status {
	tb.Helper()
	ctx := within(tb)
	for {
		s, err := f.Status(ctx, runID)
		require.NoError(tb, err)
		if s.State == want {
			return s
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// settled waits for the result of a run that finishes.
func settled(tb testing.TB, f *natsfleet.Fleet, runID string) agentgraph.Artifacts {
	tb.Helper()
	result, err := f.Wait(within(tb), runID)
	require.NoError(tb, err)
	require.Equal(tb, runID, result.RunID)
	return result.Artifacts
}

// listening lets other processes in.
func listening(o *server.Options) { o.DontListen = false }

// patient connections never give up.
func patient() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.RetryOnFailedConnect(true), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
}

// freePort is one that nobody uses.
func freePort(tb testing.TB) int {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
