package natsstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// typical is a record whose line has some 200 bytes.
func typical() agentgraph.Record {
	return agentgraph.Record{Kind: "step", Data: []byte(`{"path":["plan","draft"],"out":"` + strings.Repeat("x", 64) + `"}`)}
}

// BenchmarkAppend has beside each append one publish of the same bytes with its
// acknowledgement, to the same stream, in turns.
func BenchmarkAppend(b *testing.B) {
	b.Run("one replica", func(b *testing.B) {
		benchAppend(b, connect(b, start(b, options(b)).ClientURL()), 1)
	})
	b.Run("three replicas", func(b *testing.B) { benchAppend(b, connect(b, urls(cluster(b))), 3) })
}

func benchAppend(b *testing.B, nc *nats.Conn, replicas int) {
	ctx := context.Background()
	s := open(b, nc, &natsstore.Options{Replicas: replicas})
	js, err := jetstream.New(nc)
	require.NoError(b, err)
	text := natsstore.Text(b, 0, typical())
	var ours, floor time.Duration
	after := uint64(0)
	for b.Loop() {
		begun := time.Now()
		if err := s.Append(ctx, "run", after, typical()); err != nil {
			b.Fatal(err)
		}
		appended := time.Now()
		m := &nats.Msg{Subject: "agentgraph.raw", Data: text, Header: nats.Header{
			"Agentgraph-Append": {"0123456789012345678901"}, "Agentgraph-Last": {"1"},
		}}
		if _, err := js.PublishMsg(ctx, m); err != nil {
			b.Fatal(err)
		}
		ours, floor = ours+appended.Sub(begun), floor+time.Since(appended)
		after++
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(after), "ns/append")
	b.ReportMetric(float64(floor.Nanoseconds())/float64(after), "ns/publish")
	b.ReportMetric(float64(ours)/float64(floor), "x-publish")
}

// BenchmarkRead has beside it the same messages through an ordered consumer.
func BenchmarkRead(b *testing.B) {
	const n = 10_000
	ctx, nc := context.Background(), connect(b, start(b, options(b)).ClientURL())
	s := open(b, nc, nil)
	for i := range uint64(n) {
		require.NoError(b, s.Append(ctx, "run", i, typical()))
	}
	b.Run("store", func(b *testing.B) {
		for b.Loop() {
			seen := 0
			for _, err := range s.Read(ctx, "run", 0) {
				if err != nil {
					b.Fatal(err)
				}
				seen++
			}
			require.Equal(b, n, seen)
		}
	})
	b.Run("ordered consumer", func(b *testing.B) {
		js, err := jetstream.New(nc)
		require.NoError(b, err)
		for b.Loop() {
			c, err := js.OrderedConsumer(ctx, "agentgraph", jetstream.OrderedConsumerConfig{FilterSubjects: []string{"agentgraph.run"}})
			require.NoError(b, err)
			messages, err := c.Messages()
			require.NoError(b, err)
			for range n {
				if _, err := messages.Next(); err != nil {
					b.Fatal(err)
				}
			}
			messages.Stop()
		}
	})
}
