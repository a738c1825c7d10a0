package natsstore_test

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// halved is a server that has run out of room in the middle of an append of several
// messages to a run that had so many records: it has refused that, and kept some of
// them.
func halved(t *testing.T, records int) (o *server.Options, srv *server.Server, stores []*natsstore.Store, before []string) {
	o = options(t)
	o.MaxPayload, o.JetStreamMaxStore = 64<<10, 256<<10
	o.Port = ports(t, 1)[0]
	srv = start(t, o)
	for range 3 {
		stores = append(stores, open(t, connect(t, srv.ClientURL()), nil))
	}
	s, ctx := stores[0], within(t)
	for i := range uint64(2) {
		require.NoError(t, s.Append(ctx, "room", i, record(large(56<<10))))
	}
	for i := range records {
		require.NoError(t, s.Append(ctx, "run", uint64(i), record("1")))
		before = append(before, "1")
	}
	requireLength(t, stores[1], before)
	for range 2 {
		err := s.Append(ctx, "run", uint64(records), record("2"), record(large(192<<10)))
		require.ErrorAs(t, err, new(*jetstream.APIError))
	}
	return o, srv, stores, before
}

func requireLength(t *testing.T, s *natsstore.Store, want []string) {
	t.Helper()
	n, ctx := uint64(len(want)), within(t)
	require.NoError(t, s.Append(ctx, "run", n))
	require.ErrorIs(t, s.Append(ctx, "run", n+2), agentgraph.ErrConflict)
	require.ErrorIs(t, s.Append(ctx, "run", n+2, record("5")), agentgraph.ErrConflict)
	require.Equal(t, want, read(t, s, "run", 0))
	require.Empty(t, read(t, s, "run", n))
}

// TestHalf: the messages that the server has kept count for nothing, for whoever knows
// the journal from before, and for whoever does not.
func TestHalf(t *testing.T) {
	for name, again := range map[string]int{"the same goes on": 0, "another": 1, "one who knew nothing": 2} {
		for _, records := range []int{0, 2} {
			t.Run(name, func(t *testing.T) {
				_, _, stores, before := halved(t, records)
				ctx, n := within(t), uint64(records)
				require.NoError(t, stores[0].Delete(ctx, "room"))
				require.NoError(t, stores[again].Append(ctx, "run", n, record("3")))
				for _, s := range stores {
					requireLength(t, s, append(before, "3"))
				}
				require.NoError(t, stores[0].Append(ctx, "run", n+1, record("4")))
				require.Equal(t, []string{"3", "4"}, read(t, stores[1], "run", n))
			})
		}
	}
}

// TestHalfStays: while there is no room the journal can be read, and be deleted.
func TestHalfStays(t *testing.T) {
	for _, records := range []int{0, 2} {
		_, _, stores, before := halved(t, records)
		for _, s := range stores {
			requireLength(t, s, before)
		}
		ctx := within(t)
		require.NoError(t, stores[0].Delete(ctx, "run"))
		require.NoError(t, stores[0].Delete(ctx, "room"))
		require.NoError(t, stores[1].Append(ctx, "run", 0, record("3")))
		requireLength(t, stores[2], []string{"3"})
	}
}

// TestHalfArrives: a server that is started anew before anything else comes puts in
// the rest.
func TestHalfArrives(t *testing.T) {
	for _, records := range []int{0, 2} {
		o, srv, stores, before := halved(t, records)
		requireLength(t, stores[1], before)
		stop(srv)
		o.JetStreamMaxStore = 1 << 30
		start(t, o)
		require.ErrorIs(t, stores[1].Append(within(t), "run", uint64(records), record("3")), agentgraph.ErrConflict)
		for _, s := range stores {
			requireLength(t, s, append(before, "2", large(192<<10)))
		}
	}
}

// TestLostHalf: the refusal gets lost. The next try finds the half, and goes behind it,
// unless somebody else has.
func TestLostHalf(t *testing.T) {
	for _, successor := range []bool{false, true} {
		o, th, ctx := options(t), &thief{}, within(t)
		o.MaxPayload, o.JetStreamMaxStore = 64<<10, 320<<10
		srv := start(t, o)
		s := open(t, connect(t, srv.ClientURL(), nats.SetCustomDialer(th)), nil)
		other := open(t, connect(t, srv.ClientURL()), nil)
		for i := range uint64(4) {
			require.NoError(t, other.Append(ctx, "room", i, record(large(56<<10))))
		}
		require.NoError(t, s.Append(ctx, "run", 0, record("1")))
		var err error
		th.steal("10023", func() {
			if err = other.Delete(ctx, "room"); err == nil && successor {
				err = other.Append(ctx, "run", 1, record("3"))
			}
		})
		lost := s.Append(ctx, "run", 1, record("2"), record(large(184<<10)))
		require.NoError(t, err)
		require.Equal(t, 1, th.took)
		if successor {
			require.ErrorIs(t, lost, agentgraph.ErrConflict)
			requireLength(t, other, []string{"1", "3"})
			continue
		}
		require.NoError(t, lost)
		requireLength(t, other, []string{"1", "2", large(184 << 10)})
	}
}
