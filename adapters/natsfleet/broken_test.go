package natsfleet_test

import (
	"bytes"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// cutter dials connections, and closes one when it is to send a text.
type cutter struct{ text atomic.Pointer[string] }

func (c *cutter) Dial(network, address string) (net.Conn, error) {
	conn, err := net.Dial(network, address)
	return cuttable{conn, c}, err
}

type cuttable struct {
	net.Conn
	cutter *cutter
}

func (c cuttable) Write(p []byte) (int, error) {
	text := c.cutter.text.Load()
	if text != nil && bytes.Contains(p, []byte(*text)) && c.cutter.text.CompareAndSwap(text, nil) {
		c.Close()
	}
	return c.Conn.Write(p)
}

// TestBrokenWhileSubmitted: an input that is larger than what the client heaps up
// meets the broken connection itself.
func TestBrokenWhileSubmitted(t *testing.T) {
	srv, c := embedded(t, listening), &cutter{}
	nc, err := nats.Connect(srv.URL(), append(patient(), nats.SetCustomDialer(c))...)
	require.NoError(t, err)
	defer nc.Close()
	f := fleet(t, nc, natsfleet.Options{}, flow("seven", seven))
	text := "HPUB agentgraph-runs.run "
	c.text.Store(&text)
	require.NoError(t, f.Submit(within(t), "seven", "run", map[string]any{"input": strings.Repeat("x", 100<<10)}))
	require.Nil(t, c.text.Load())
	now, err := f.Status(within(t), "run")
	require.NoError(t, err)
	require.Equal(t, natsfleet.Queued, now.State)
}
