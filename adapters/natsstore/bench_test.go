package natsstore_test

import (
	"context"
	"errors"
	"slices"
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

// beside measures a call and the raw operation beneath it in turns, each first every
// other time, so that whatever else the machine does hits both alike. What it
// reports is the median of each, and x-raw, the one over the other.
func beside(b *testing.B, ours, raw func()) {
	var took [2][]time.Duration
	for round := 0; b.Loop(); round++ {
		for i := range took {
			which := (round + i) % 2
			begun := time.Now()
			[]func(){ours, raw}[which]()
			took[which] = append(took[which], time.Since(begun))
		}
	}
	mine, floor := median(took[0]), median(took[1])
	b.ReportMetric(0, "ns/op") // would be of both
	b.ReportMetric(mine, "ns/ours")
	b.ReportMetric(floor, "ns/raw")
	b.ReportMetric(mine/floor, "x-raw")
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds())
}

// BenchmarkAppend is beside one publish with its acknowledgement, of as many bytes
// and with the same headers but the fence, to the same stream.
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
	after, text := uint64(0), natsstore.Text(b, 0, typical())
	beside(b, func() {
		if err := s.Append(ctx, "run", after, typical()); err != nil {
			b.Fatal(err)
		}
		after++
	}, func() {
		m := &nats.Msg{Subject: "agentgraph.raw", Data: text, Header: nats.Header{
			"Agentgraph-Append": {"0123456789012345678901"}, "Agentgraph-Last": {"1"},
		}}
		_, err := js.PublishMsg(ctx, m)
		for errors.Is(err, context.DeadlineExceeded) { // the servers were busy with another leader
			_, err = js.PublishMsg(ctx, m)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkRead is beside an ordered consumer that is given the same messages.
func BenchmarkRead(b *testing.B) {
	b.Run("one replica", func(b *testing.B) {
		benchRead(b, connect(b, start(b, options(b)).ClientURL()), 1)
	})
	b.Run("three replicas", func(b *testing.B) { benchRead(b, connect(b, urls(cluster(b))), 3) })
}

func benchRead(b *testing.B, nc *nats.Conn, replicas int) {
	const n = 10_000
	ctx := context.Background()
	s := open(b, nc, &natsstore.Options{Replicas: replicas})
	for i := range uint64(n) {
		require.NoError(b, s.Append(ctx, "run", i, typical()))
	}
	js, err := jetstream.New(nc)
	require.NoError(b, err)
	beside(b, func() {
		seen := 0
		for _, err := range s.Read(ctx, "run", 0) {
			if err != nil {
				b.Fatal(err)
			}
			seen++
		}
		require.Equal(b, n, seen)
	}, func() {
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
	})
}
