package natsstore_test

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// thief dials connections that break when the answer which it wants comes in, so
// that what was asked is done and nobody hears of it; or under a message that is sent.
type thief struct {
	mu   sync.Mutex
	want string
	then func() // runs before the connection breaks
	sent string // breaks the connection when it is to be sent
	took int
}

func (th *thief) cut(sent string) {
	th.mu.Lock()
	defer th.mu.Unlock()
	th.sent = sent
}

func (th *thief) steal(want string, then func()) {
	th.mu.Lock()
	defer th.mu.Unlock()
	th.want, th.then = want, then
}

func (th *thief) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return &watched{c, th}, err
}

type watched struct {
	net.Conn
	thief *thief
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	th := w.thief
	th.mu.Lock()
	defer th.mu.Unlock()
	if th.want == "" || !bytes.Contains(p[:n], []byte(th.want)) {
		return n, err
	}
	th.want = ""
	th.took++
	th.then()
	w.Close()
	return 0, io.EOF
}

func (w *watched) Write(p []byte) (int, error) {
	th := w.thief
	th.mu.Lock()
	defer th.mu.Unlock()
	if th.sent != "" && bytes.Contains(p, []byte(th.sent)) {
		th.sent = ""
		th.took++
		w.Close()
	}
	return w.Conn.Write(p)
}

// robbed is a store whose answers can be stolen, and one that is left in peace.
func robbed(t *testing.T) (*natsstore.Store, *natsstore.Store, *thief) {
	srv, th := start(t, options(t)), &thief{}
	s := open(t, connect(t, srv.ClientURL(), nats.SetCustomDialer(th)), nil)
	s.Hurry()
	return s, open(t, connect(t, srv.ClientURL()), nil), th
}

const ack = `{"stream":"agentgraph"`

// TestLostAnswer: an append is in, its answer is lost, and the next try hears of a
// wrong sequence.
func TestLostAnswer(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	for after := range uint64(3) {
		th.steal(ack, func() {})
		require.NoError(t, s.Append(ctx, "run", after, record("1")))
	}
	require.Equal(t, 3, th.took)
	require.Equal(t, []string{"1", "1", "1"}, read(t, other, "run", 0))
	require.ErrorIs(t, s.Append(ctx, "run", 2, record("2")), agentgraph.ErrConflict)
	require.NoError(t, s.Append(ctx, "run", 3, record("2")))
}

// TestLostAnswerAndSuccessor: before the next try somebody went on from the append.
func TestLostAnswerAndSuccessor(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	var successor error
	th.steal(ack, func() { successor = other.Append(ctx, "run", 2, record(`"successor"`)) })
	require.NoError(t, s.Append(ctx, "run", 1, record("2")))
	require.NoError(t, successor)
	require.Equal(t, []string{"1", "2", `"successor"`}, read(t, s, "run", 0))
	require.ErrorIs(t, s.Append(ctx, "run", 2, record("3")), agentgraph.ErrConflict)
}

// TestLostAnswerOfPieces: the append went out as an atomic batch.
func TestLostAnswerOfPieces(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	th.steal(`"batch":"`, func() {})
	require.NoError(t, s.Append(ctx, "run", 0, record(large(3<<20)), record("2")))
	require.Equal(t, 1, th.took)
	require.NoError(t, s.Append(ctx, "run", 2, record("3")))
	require.Equal(t, []string{large(3 << 20), "2", "3"}, read(t, other, "run", 0))
}

// TestBrokenWhileSent: a message that is larger than what the client heaps up meets
// the broken connection itself.
func TestBrokenWhileSent(t *testing.T) {
	s, other, th := robbed(t)
	th.cut("HPUB agentgraph.run ")
	require.NoError(t, s.Append(within(t), "run", 0, record(large(100<<10))))
	require.Equal(t, 1, th.took)
	require.Equal(t, []string{large(100 << 10)}, read(t, other, "run", 0))
}

// TestLostConflict: what is lost is the word that it is a conflict.
func TestLostConflict(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	require.NoError(t, other.Append(ctx, "run", 1, record("2")))
	th.steal(`10071`, func() {})
	require.ErrorIs(t, s.Append(ctx, "run", 1, record("2")), agentgraph.ErrConflict)
	require.Equal(t, 1, th.took)
	require.Equal(t, []string{"1", "2"}, read(t, s, "run", 0))
}

// TestLostDelete: before the next try the journal is begun anew, and stays.
func TestLostDelete(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	var anew error
	th.steal(`stream_purge_response`, func() { anew = other.Append(ctx, "run", 0, record(`"anew"`)) })
	require.NoError(t, s.Delete(ctx, "run"))
	require.NoError(t, anew)
	require.Equal(t, 1, th.took)
	require.Equal(t, []string{`"anew"`}, read(t, s, "run", 0))
}

// TestLostPage: a connection breaks in the middle of what a read asked for.
func TestLostPage(t *testing.T) {
	s, other, th := robbed(t)
	ctx := within(t)
	var want []string
	for i := range uint64(600) {
		text := large(4 << 10)
		require.NoError(t, other.Append(ctx, "run", i, record(text)))
		want = append(want, text)
	}
	th.steal(`"seq":200,`, func() {})
	require.Equal(t, want, read(t, s, "run", 0))
	require.Equal(t, 1, th.took)
}
