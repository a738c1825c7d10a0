package natsstore_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// TestServerFull: a server that has no room refuses at once, keeps what it has, and
// goes on once there is room.
func TestServerFull(t *testing.T) {
	o := options(t)
	o.JetStreamMaxStore = 256 << 10
	s, ctx := open(t, connect(t, start(t, o).ClientURL()), nil), within(t)
	text := large(56 << 10)
	var err error
	stored := 0
	for ; err == nil; stored++ {
		err = s.Append(ctx, "run", uint64(stored), record(text))
	}
	require.EqualError(t, err, `agentgraph: run "run": nats: API error: code=503 err_code=10023 description=insufficient resources`)
	require.Len(t, read(t, s, "run", 0), stored-1)
	require.ErrorAs(t, s.Append(ctx, "new", 0, record(text)), new(*jetstream.APIError))
	require.Empty(t, read(t, s, "new", 0))
	require.NoError(t, s.Delete(ctx, "run"))
	require.NoError(t, s.Append(ctx, "new", 0, record(text)))
	require.Equal(t, []string{text}, read(t, s, "new", 0))
}

// TestTwoStreams on one server share run IDs, and do not meet.
func TestTwoStreams(t *testing.T) {
	_, nc, _ := alone(t)
	ctx := within(t)
	one := open(t, nc, &natsstore.Options{Stream: "a"})
	other := open(t, nc, &natsstore.Options{Stream: "a-b"})
	require.NoError(t, one.Append(ctx, "run", 0, record("1")))
	require.Empty(t, read(t, other, "run", 0))
	require.NoError(t, other.Append(ctx, "run", 0, record("2"), record("3")))
	require.NoError(t, one.Delete(ctx, "run"))
	require.Equal(t, []string{"2", "3"}, read(t, other, "run", 0))
	for range one.Runs(ctx) {
		t.Fatal("there is none")
	}
}
