package chaostest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// TestAnswersPastTheFleet: workers are killed, and held until others have their runs,
// while what these ask is answered in the store alone. Every run goes on to its end, and
// no step is acknowledged twice.
func TestAnswersPastTheFleet(t *testing.T) {
	const runs = 8
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	w := worker{URLs: embedded(t).URL(), Options: natsfleet.Options{Name: "chaos", Silence: time.Second}, AtOnce: 3}
	f := patientFleet(ctx, t, w)
	require.NoError(t, register(f, &diary{}))
	var victims []victim
	for _, p := range workers(t, 3, w) {
		victims = append(victims, p, dozer{p, w.Options.Silence * 3 / 2})
	}
	nc, err := nats.Connect(w.URLs)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Stream: "chaos-journal", Existing: true})
	require.NoError(t, err)

	over, quiet := context.WithCancel(ctx)
	var failed error
	done := make(chan struct{})
	go func() { defer close(done); _, failed = chaos(over, victims) }()
	calm := func() { quiet(); <-done }
	t.Cleanup(calm) // before the processes are
	var all sync.WaitGroup
	results, errs := make([]*agentgraph.Result, runs), make([]error, runs)
	for i := range runs {
		require.NoError(t, f.Submit(ctx, "asking", chaosID(i), nil))
		settled, end := context.WithCancel(ctx)
		all.Go(func() { defer end(); results[i], errs[i] = f.Wait(ctx, chaosID(i)) })
		all.Go(func() { answerAll(settled, store, chaosID(i)) })
	}
	all.Wait()
	calm()
	require.NoError(t, failed)
	for i, result := range results {
		s, err := f.Status(context.WithoutCancel(ctx), chaosID(i))
		require.NoError(t, errs[i], "%+v, %v", s, err)
		require.Equal(t, agentgraph.Artifacts{"a": []byte(`"yes"`), "b": []byte(`"yes"`), "c": []byte(`"yes"`)}, result.Artifacts)
		steps, _, err := acknowledged(ctx, store, chaosID(i))
		require.NoError(t, err)
		require.Equal(t, map[string]int{"a": 1, "a/a": 1, "a/after-a": 1, "b": 1, "b/b": 1, "b/after-b": 1, "c": 1, "after-c": 1}, steps)
	}
}

// answerAll answers what a run asks, the last question first, as soon as it does.
func answerAll(ctx context.Context, store agentgraph.Store, runID string) {
	for pause(ctx, 20*time.Millisecond) {
		asked, _ := agentgraph.Questions(ctx, store, runID)
		if n := len(asked); n > 0 {
			_ = agentgraph.Answer(ctx, store, runID, asked[n-1].Step, "yes") // it is asked on where it failed
		}
	}
}
