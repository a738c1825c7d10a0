package natsfleet_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// BenchmarkRuns: one op is a run of four steps, from the queue to its settlement, with
// so many workers of one place each. The steps of "quick" take no time, those of
// "slow" two milliseconds, as if they called the world.
func BenchmarkRuns(b *testing.B) {
	for _, kind := range []struct {
		name string
		step time.Duration
	}{{"quick", 0}, {"slow", 2 * time.Millisecond}} {
		for _, n := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("%s/workers=%d", kind.name, n), func(b *testing.B) { benchmarkRuns(b, n, kind.step) })
		}
	}
}

func benchmarkRuns(b *testing.B, n int, step time.Duration) {
	srv := embedded(b)
	var done atomic.Int64
	all := make(chan struct{})
	work4 := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		for i := range 4 {
			err := s.Step(fmt.Sprintf("step-%d", i), func(s *agentgraph.Step) error {
				time.Sleep(step)
				s.Set("i", i)
				return nil
			})
			if err != nil {
				return err
			}
		}
		if done.Add(1) == int64(b.N) {
			close(all)
		}
		return nil
	}, nil)
	f := fleet(b, connect(b, srv), natsfleet.Options{}, work4)
	for i := range b.N {
		require.NoError(b, f.Submit(within(b), "flow", fmt.Sprint(i), nil))
	}
	var fleets []*natsfleet.Fleet
	for range n {
		fleets = append(fleets, fleet(b, connect(b, srv), natsfleet.Options{}, work4))
	}
	b.ResetTimer()
	for _, f := range fleets {
		work(b, f, 1)
	}
	<-all
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// BenchmarkSubmit: one op is a run handed to the fleet, on a server that syncs each
// message and on one that does not.
func BenchmarkSubmit(b *testing.B) {
	for _, synced := range []bool{false, true} {
		b.Run(fmt.Sprintf("synced=%v", synced), func(b *testing.B) {
			srv := embedded(b, func(o *server.Options) { o.SyncAlways = synced })
			f := fleet(b, connect(b, srv), natsfleet.Options{}, flow("flow", seven))
			for i := 0; b.Loop(); i++ {
				require.NoError(b, f.Submit(b.Context(), "flow", fmt.Sprint(i), nil))
			}
		})
	}
}
