package natsstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

func large(n int) string { return `"` + strings.Repeat("x", n) + `"` }

// TestExpectedSequence is what the fence stands on: a subject that was purged is as
// one that never was, and one that never was refuses all but 0.
func TestExpectedSequence(t *testing.T) {
	t.Parallel()
	nc := connect(t, urls(cluster(t)))
	for _, replicas := range []int{1, 3} {
		t.Run(fmt.Sprint(replicas), func(t *testing.T) {
			name := fmt.Sprintf("replicas-%d", replicas)
			open(t, nc, &natsstore.Options{Stream: name, Replicas: replicas})
			js, err := jetstream.New(nc)
			require.NoError(t, err)
			ctx := within(t)
			stream, err := js.Stream(ctx, name)
			require.NoError(t, err)
			expect := func(last uint64) error {
				_, err := js.Publish(ctx, name+".run", nil, jetstream.WithExpectLastSequencePerSubject(last))
				return err
			}
			refused := func(last uint64) {
				t.Helper()
				requireConflict(t, replicas, expect(last))
			}
			refused(1)
			require.NoError(t, expect(0))
			require.NoError(t, expect(1))
			refused(0)
			refused(1)
			require.NoError(t, stream.Purge(ctx, jetstream.WithPurgeSubject(name+".run")))
			refused(2)
			require.NoError(t, expect(0))
			refused(2)
			require.NoError(t, expect(3))
		})
	}
}

// requireConflict fails unless the server compared, and says so with a code that so
// many replicas have and the store takes for that.
func requireConflict(tb testing.TB, replicas int, err error) jetstream.ErrorCode {
	tb.Helper()
	var api *jetstream.APIError
	require.ErrorAs(tb, err, &api)
	codes := []jetstream.ErrorCode{10071}
	if replicas > 1 {
		codes = append(codes, 10164)
	}
	require.Contains(tb, codes, api.ErrorCode)
	require.True(tb, natsstore.IsConflict(err))
	return api.ErrorCode
}

// TestConflictCodes: of two publishes at once that expect the same, one is refused.
// Three replicas do so with a code of their own while the other is under way.
func TestConflictCodes(t *testing.T) {
	t.Parallel()
	nc := connect(t, urls(cluster(t)))
	for _, c := range []struct {
		replicas int
		code     jetstream.ErrorCode
	}{{1, 10071}, {3, 10164}} {
		t.Run(fmt.Sprint(c.replicas), func(t *testing.T) {
			name := fmt.Sprintf("replicas-%d", c.replicas)
			open(t, nc, &natsstore.Options{Stream: name, Replicas: c.replicas})
			js, err := jetstream.New(nc)
			require.NoError(t, err)
			ctx := within(t)
			for last, met := uint64(0), jetstream.ErrorCode(0); met != c.code; {
				require.NoError(t, ctx.Err())
				met, last = race(ctx, t, js, name+".run", c.replicas, last)
			}
		})
	}
}

// race publishes twice at once, and returns the code of the loser and the sequence
// of the winner.
func race(ctx context.Context, t *testing.T, js jetstream.JetStream, subject string, replicas int, last uint64) (lost jetstream.ErrorCode, won uint64) {
	t.Helper()
	var both [2]jetstream.PubAckFuture
	for i := range both {
		var err error
		both[i], err = js.PublishAsync(subject, nil, jetstream.WithExpectLastSequencePerSubject(last))
		require.NoError(t, err)
	}
	for _, one := range both {
		select {
		case ack := <-one.Ok():
			require.Zero(t, won, "both are in")
			won = ack.Sequence
		case err := <-one.Err():
			lost = requireConflict(t, replicas, err)
		case <-ctx.Done():
			require.NoError(t, ctx.Err())
		}
	}
	require.NotZero(t, won, "neither is in")
	return lost, won
}

// TestDeletedElsewhere: an owner is fenced by the sequences of the stream too, which
// do not come again.
func TestDeletedElsewhere(t *testing.T) {
	s, nc, _ := alone(t)
	other, ctx := open(t, nc, nil), within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1"), record("2")))
	require.NoError(t, other.Delete(ctx, "run"))
	require.ErrorIs(t, s.Append(ctx, "run", 2, record("3")), agentgraph.ErrConflict)
	require.NoError(t, other.Append(ctx, "run", 0, record(`"new"`), record(`"life"`)))
	for range 2 {
		err := s.Append(ctx, "run", 2, record("3"))
		require.ErrorIs(t, err, agentgraph.ErrConflict)
		require.EqualError(t, err, `agentgraph: run "run": journal has another length: it was deleted and begun anew`)
		require.ErrorIs(t, s.Append(ctx, "run", 2), agentgraph.ErrConflict)
	}
	require.Equal(t, []string{`"new"`, `"life"`}, read(t, s, "run", 0))
	require.NoError(t, s.Append(ctx, "run", 2, record("3")))
}

// TestReadBegunAnew: what this store knew of the journal is of a former life.
func TestReadBegunAnew(t *testing.T) {
	s, nc, _ := alone(t)
	other, ctx := open(t, nc, nil), within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1"), record("2")))
	require.NoError(t, other.Delete(ctx, "run"))
	require.Empty(t, read(t, s, "run", 2))
	require.NoError(t, other.Append(ctx, "run", 0, record("11")))
	require.Empty(t, read(t, s, "run", 2))
	require.NoError(t, other.Append(ctx, "run", 1, record("12"), record("13")))
	require.Equal(t, []string{"13"}, read(t, s, "run", 2))
}

// TestDeletedWhileRead: a loop that cannot give what was there says so.
func TestDeletedWhileRead(t *testing.T) {
	s, nc, _ := alone(t)
	other, ctx := open(t, nc, nil), within(t)
	for i := range uint64(4) {
		require.NoError(t, s.Append(ctx, "run", i, record(large(900<<10))))
	}
	var failed error
	for r, err := range s.Read(ctx, "run", 0) {
		if failed = err; r.Seq == 1 {
			require.NoError(t, other.Delete(ctx, "run"))
			require.NoError(t, other.Append(ctx, "run", 0, record("1")))
		}
	}
	require.EqualError(t, failed, `agentgraph: run "run": journal was deleted while it was read`)
}

// TestReadAfterKnown: from where the store last knew the end, no more is asked for
// than what is new.
func TestReadAfterKnown(t *testing.T) {
	s, nc, _ := alone(t)
	other, ctx := open(t, nc, nil), within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record(large(100<<10))))
	require.NoError(t, other.Append(ctx, "run", 1, record("2")))
	before := nc.Stats().InBytes
	require.Equal(t, []string{"2"}, read(t, s, "run", 1))
	require.Less(t, nc.Stats().InBytes-before, uint64(10<<10))
	require.NoError(t, s.Append(ctx, "run", 2, record("3")))
}

// TestForeignMessages: what is no append of ours is damage.
func TestForeignMessages(t *testing.T) {
	s, nc, _ := alone(t)
	ctx := within(t)
	put := func(text, last string) {
		t.Helper()
		h := nats.Header{"Agentgraph-Append": {"id"}, "Agentgraph-Last": {last}}
		reply, err := nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: s.Subject("run"), Header: h, Data: []byte(text)})
		require.NoError(t, err)
		require.Contains(t, string(reply.Data), `"seq"`)
	}
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	good, err := json.Marshal("x")
	require.NoError(t, err)
	put(string(good), "2")
	list, err := collect(ctx, s, "run", 0)
	require.ErrorIs(t, err, agentgraph.ErrCorrupt)
	require.Equal(t, []string{"1"}, list)

	put("text", "text")
	s.Forget()
	require.ErrorIs(t, s.Append(ctx, "run", 3, record("1")), agentgraph.ErrCorrupt)
	_, err = nc.RequestWithContext(ctx, s.Subject("run"), nil)
	require.NoError(t, err)
	_, err = collect(ctx, s, "run", 0)
	require.ErrorIs(t, err, agentgraph.ErrCorrupt)
	require.NoError(t, s.Delete(ctx, "run"))
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
}

// TestTooLarge: as many messages as the server takes at once, and one more.
func TestTooLarge(t *testing.T) {
	o := options(t)
	o.MaxPayload = 4096
	s, ctx := open(t, connect(t, start(t, o).ClientURL()), nil), within(t)
	fits := large(3072*1000 - 200)
	require.NoError(t, s.Append(ctx, "run", 0, record(fits)))
	err := s.Append(ctx, "run", 1, record("1"), agentgraph.Record{Kind: "large", Data: []byte(large(3072 * 1000))})
	require.ErrorIs(t, err, agentgraph.ErrTooLarge)
	require.EqualError(t, err, `agentgraph: run "run": records are too large: 3072174 bytes in one append, `+
		`3072002 of them in record 3 of kind "large"; this server takes 3072000`)
	require.Equal(t, []string{fits}, read(t, s, "run", 0))
	require.ErrorIs(t, s.Append(ctx, "run", 0, record(fits)), agentgraph.ErrConflict)
}

// TestServersBatchLimit: the server may take fewer messages at once.
func TestServersBatchLimit(t *testing.T) {
	o := options(t)
	o.JetStreamLimits.MaxBatchSize = 2
	s, ctx := open(t, connect(t, start(t, o).ClientURL()), nil), within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record(large(2_000_000))))
	require.ErrorIs(t, s.Append(ctx, "run", 1, record(large(2_200_000))), agentgraph.ErrTooLarge)
	require.Len(t, read(t, s, "run", 0), 1)
}
