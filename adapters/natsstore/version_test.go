package natsstore_test

import (
	"net"
	"regexp"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// older dials a server that says it is of another version.
type older string

func (o older) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return aged{c, o}, err
}

type aged struct {
	net.Conn
	version older
}

func (a aged) Read(p []byte) (int, error) {
	text := make([]byte, len(p)/2) // room for a longer version
	n, err := a.Conn.Read(text)
	return copy(p, versions.ReplaceAll(text[:n], []byte(`"version":"`+a.version+`"`))), err
}

var versions = regexp.MustCompile(`"version":"[^"]*"`)

// TestOldServerMakesNothing: an old server is known before it makes a stream.
func TestOldServerMakesNothing(t *testing.T) {
	srv, ctx := start(t, options(t)), within(t)
	for _, version := range []string{"1.99.0", "2.10.20", "2.11.9"} {
		nc := connect(t, srv.ClientURL(), nats.SetCustomDialer(older(version)))
		require.Equal(t, version, nc.ConnectedServerVersion())
		_, err := natsstore.Open(ctx, nc, nil)
		require.ErrorIs(t, err, natsstore.ErrOldServer)
		require.EqualError(t, err, `agentgraph: open stream "agentgraph": server is too old: NATS `+version+` knows no atomic publish, 2.12 does`)
		js, err := jetstream.New(nc)
		require.NoError(t, err)
		_, err = js.Stream(ctx, "agentgraph")
		require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
	}
	for _, version := range []string{"2.12.0", "2.13.0-dev", "3.0.0", "a fork"} {
		nc := connect(t, srv.ClientURL(), nats.SetCustomDialer(older(version)))
		open(t, nc, &natsstore.Options{Stream: "made-by-" + version[:1] + version[len(version)-1:]})
	}
}
