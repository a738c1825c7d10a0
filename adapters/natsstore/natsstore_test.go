package natsstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

// TestStore is one server; each rule has a stream of its own.
func TestStore(t *testing.T) {
	t.Parallel()
	srv := start(t, options(t))
	nc, n := connect(t, srv.ClientURL()), 0
	storetest.Run(t, func(t *testing.T) agentgraph.Store {
		n++
		return open(t, nc, &natsstore.Options{Stream: fmt.Sprintf("journals-%d", n)})
	})
	require.Zero(t, consumers(t, nc))
}

// TestClusterStore is three servers, and three replicas of each stream.
func TestClusterStore(t *testing.T) {
	t.Parallel()
	servers := cluster(t)
	nc, n := connect(t, urls(servers)), 0
	storetest.Run(t, func(t *testing.T) agentgraph.Store {
		n++
		return open(t, nc, &natsstore.Options{Stream: fmt.Sprintf("journals-%d", n), Replicas: 3})
	})
	require.Zero(t, consumers(t, nc))
}

// TestShortMemory is the contract for a store that never knows a journal's end.
func TestShortMemory(t *testing.T) {
	t.Parallel()
	srv := start(t, options(t))
	nc, n := connect(t, srv.ClientURL()), 0
	storetest.Run(t, func(t *testing.T) agentgraph.Store {
		n++
		return forgetful{open(t, nc, &natsstore.Options{Stream: fmt.Sprintf("journals-%d", n)})}
	})
}

// forgetful knows nothing of any journal when an append begins.
type forgetful struct{ *natsstore.Store }

func (s forgetful) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	s.Forget()
	return s.Store.Append(ctx, runID, after, records...)
}

func urls(servers []*server.Server) string {
	var list []string
	for _, s := range servers {
		list = append(list, s.ClientURL())
	}
	return strings.Join(list, ",")
}

// consumers counts what is left behind in all streams.
func consumers(t *testing.T, nc *nats.Conn) int {
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	n := 0
	streams := js.ListStreams(within(t))
	for info := range streams.Info() {
		n += info.State.Consumers
	}
	require.NoError(t, streams.Err())
	return n
}
