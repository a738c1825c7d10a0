package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

const (
	width = 32
	nap   = 10 * time.Millisecond
)

// BenchmarkW9FanOut is one run of 32 steps side by side, each of which sleeps 10 ms.
func BenchmarkW9FanOut(b *testing.B) {
	size := bytesAStep(b, resumable(places[0].open, one))
	benchFanOut(b, "append+fsync", func(tb testing.TB, c *clock) {
		log := newAppendLog(tb, size)
		defer log.close(tb)
		c.start()
		sideBySide(tb, func(int) error { return log.append() })
		c.done(1)
	})
	benchFanOut(b, "sqlite", func(tb testing.TB, c *clock) {
		db := openSQLite(tb, tb.TempDir())
		outcome := make([]byte, size)
		c.start()
		sideBySide(tb, func(i int) error {
			_, err := db.Exec("INSERT INTO step (n, outcome) VALUES (?, ?)", i, outcome)
			return err
		})
		c.done(1)
		require.NoError(tb, db.Close())
	})
	for _, place := range places {
		benchFanOut(b, "agentgraph/steps/"+place.name, func(tb testing.TB, c *clock) { wide(tb, c, place.open, napSteps) })
		meeting := napMeeting(b)
		benchFanOut(b, "agentgraph/turns/"+place.name, func(tb testing.TB, c *clock) { wide(tb, c, place.open, meeting) })
	}
}

// benchFanOut reports the time of a run, and its ratio to one nap.
func benchFanOut(b *testing.B, name string, run func(testing.TB, *clock)) {
	b.Run(name, func(b *testing.B) {
		c := &clock{unit: "run", stretch: 1, floor: func() float64 { return float64(nap.Nanoseconds()) }}
		for b.Loop() {
			run(b, c)
		}
		c.report(b)
	})
}

// sideBySide naps in many goroutines, and keeps what each did, one at a time.
func sideBySide(tb testing.TB, keep func(step int) error) {
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for i := range width {
		all.Go(func() {
			time.Sleep(nap)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, keep(i))
		})
	}
	all.Wait()
	require.Equal(tb, make([]error, width), errs)
}

// wide is one durable run of a body that naps many times at once.
func wide(tb testing.TB, c *clock, open func(testing.TB) place, body func(*agentgraph.Step) error) {
	p := open(tb)
	defer p.close(tb)
	r := agentgraph.NewResumable("wide", body, &agentgraph.ResumableOptions{Store: p.Store})
	c.start()
	_, err := r.Run(context.Background(), runID, map[string]any{})
	c.done(1)
	require.NoError(tb, err)
	require.GreaterOrEqual(tb, len(p.records(tb)), width)
	c.disk += p.size(tb)
}

func napSteps(s *agentgraph.Step) error {
	for i := range width {
		s.Go("step", func(s *agentgraph.Step) error {
			time.Sleep(nap)
			s.Set(many(i), resultOf(i))
			return nil
		})
	}
	return s.Wait()
}

// napMeeting is a meeting of agents that hear one post and nap, all at once.
func napMeeting(b *testing.B) func(*agentgraph.Step) error {
	names, reg := make([]agentgraph.Name, width), agentgraph.Registry[result]{}
	for i := range names {
		names[i] = fmt.Sprintf("agent-%02d", i)
		reg[names[i]] = agentgraph.Atomic(agentgraph.Each(func(agentgraph.Post[result]) []agentgraph.Post[result] {
			time.Sleep(nap)
			return nil
		}))
	}
	roster, err := agentgraph.ToRoster(agentgraph.Bus(names, "all"), reg)
	require.NoError(b, err)
	roster = roster.With(agentgraph.Options{Parallel: width})
	return func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meeting", roster, []agentgraph.Post[result]{
			agentgraph.NewPost("user", []agentgraph.Channel{"all"}, resultOf(0)),
		})
		return err
	}
}
