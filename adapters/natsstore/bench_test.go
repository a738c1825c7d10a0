package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

// pair is how long rounds took: ours, and those of the raw operation beneath.
type pair struct{ ours, raw []time.Duration }

// beside measures rounds of ours and of the raw operation in turns, each first every
// other time, so that whatever else the machine does hits both alike. It reports
// x-raw, the median of the one over that of the other.
func beside(b *testing.B, ours, raw func() error) pair {
	var took [2][]time.Duration
	for round := 0; b.Loop(); round++ {
		for i := range took {
			which := (round + i) % 2
			begun := time.Now()
			err := []func() error{ours, raw}[which]()
			took[which] = append(took[which], time.Since(begun))
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(0, "ns/op") // would be of both
	b.ReportMetric(median(took[0])/median(took[1]), "x-raw")
	return pair{took[0], took[1]}
}

// latency reports the median round of each.
func (p pair) latency(b *testing.B) {
	b.ReportMetric(median(p.ours), "ns/ours")
	b.ReportMetric(median(p.raw), "ns/raw")
}

// rate reports what each did in a second, when a round is so many appends.
func (p pair) rate(b *testing.B, appends int) {
	b.ReportMetric(perSecond(p.ours, appends), "appends/s")
	b.ReportMetric(perSecond(p.raw, appends), "raw/s")
}

func perSecond(rounds []time.Duration, each int) float64 {
	var sum time.Duration
	for _, d := range rounds {
		sum += d
	}
	return float64(len(rounds)*each) / sum.Seconds()
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds())
}

// replicated runs a benchmark on one server, and on three that keep three replicas.
func replicated(b *testing.B, bench func(b *testing.B, nc *nats.Conn, replicas int)) {
	b.Run("one replica", func(b *testing.B) { bench(b, connect(b, start(b, options(b)).ClientURL()), 1) })
	b.Run("three replicas", func(b *testing.B) { bench(b, connect(b, urls(cluster(b))), 3) })
}

// BenchmarkAppend is beside one publish with its acknowledgement, of as many bytes
// and with the same headers but the fence, to the same stream.
func BenchmarkAppend(b *testing.B) {
	replicated(b, func(b *testing.B, nc *nats.Conn, replicas int) {
		ours, raw := appender(b, nc, replicas, 1)
		p := beside(b, func() error { return ours(0) }, func() error { return raw(0) })
		p.latency(b)
		p.rate(b, 1)
	})
}

// BenchmarkAppendAtOnce is the same of 8 owners at once, each of a run of its own.
func BenchmarkAppendAtOnce(b *testing.B) {
	const owners, each = 8, 50
	replicated(b, func(b *testing.B, nc *nats.Conn, replicas int) {
		ours, raw := appender(b, nc, replicas, owners)
		p := beside(b,
			func() error { return atOnce(owners, each, ours) },
			func() error { return atOnce(owners, each, raw) })
		p.rate(b, owners*each)
	})
}

// appender returns the next append of an owner, and a publish like it.
func appender(b *testing.B, nc *nats.Conn, replicas, owners int) (ours, raw func(owner int) error) {
	ctx := context.Background()
	s := open(b, nc, &natsstore.Options{Replicas: replicas})
	js, err := jetstream.New(nc)
	require.NoError(b, err)
	after, text := make([]uint64, owners), natsstore.Text(b, 0, typical())
	ours = func(owner int) error {
		err := s.Append(ctx, fmt.Sprint("run-", owner), after[owner], typical())
		after[owner]++
		return err
	}
	raw = func(owner int) error {
		m := &nats.Msg{Subject: fmt.Sprint("agentgraph.raw-", owner), Data: text, Header: nats.Header{
			"Agentgraph-Append": {"0123456789012345678901"}, "Agentgraph-Last": {"1"},
		}}
		_, err := js.PublishMsg(ctx, m)
		for errors.Is(err, context.DeadlineExceeded) { // the servers were busy with another leader
			_, err = js.PublishMsg(ctx, m)
		}
		return err
	}
	return ours, raw
}

// atOnce has each owner do something so many times, all at once.
func atOnce(owners, each int, do func(owner int) error) error {
	var all sync.WaitGroup
	errs := make([]error, owners)
	for owner := range owners {
		all.Go(func() {
			for i := 0; i < each && errs[owner] == nil; i++ {
				errs[owner] = do(owner)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// BenchmarkRead is beside an ordered consumer that is given the same messages.
func BenchmarkRead(b *testing.B) { replicated(b, benchRead) }

func benchRead(b *testing.B, nc *nats.Conn, replicas int) {
	const n = 10_000
	ctx := context.Background()
	s := open(b, nc, &natsstore.Options{Replicas: replicas})
	for i := range uint64(n) {
		require.NoError(b, s.Append(ctx, "run", i, typical()))
	}
	js, err := jetstream.New(nc)
	require.NoError(b, err)
	beside(b, func() error {
		seen := 0
		for _, err := range s.Read(ctx, "run", 0) {
			if err != nil {
				return err
			}
			seen++
		}
		require.Equal(b, n, seen)
		return nil
	}, func() error {
		c, err := js.OrderedConsumer(ctx, "agentgraph", jetstream.OrderedConsumerConfig{FilterSubjects: []string{"agentgraph.run"}})
		require.NoError(b, err)
		messages, err := c.Messages()
		require.NoError(b, err)
		defer messages.Stop()
		for range n {
			if _, err := messages.Next(); err != nil {
				return err
			}
		}
		return nil
	}).latency(b)
}
