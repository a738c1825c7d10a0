package natsfleet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// TestTakeover: a run is handed to a second worker while the first, of whom nothing
// was heard, still works on it. The second finishes it; the first one's outcome does
// not count, and it leaves the run alone.
func TestTakeover(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	srv := embedded(t)
	var shared atomic.Int64
	began, release, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	work1 := func(ctx context.Context) (string, error) {
		close(began)
		<-release
		return "first", nil
	}
	work2 := func(context.Context) (string, error) { return "second", nil }
	flowOf := func(work func(context.Context) (string, error), after func()) *agentgraph.Resumable {
		return agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
			defer after()
			if _, err := agentgraph.Do(s, "shared", func(context.Context) (int64, error) { return shared.Add(1), nil }); err != nil {
				return err
			}
			_, err := agentgraph.Do(s, "by", work)
			return err
		}, nil)
	}
	o := natsfleet.Options{Silence: time.Second}
	one := fleet(t, connect(t, srv), o, flowOf(work1, func() { close(returned) }))
	one.Mute()
	two := fleet(t, connect(t, srv), o, flowOf(work2, func() {}))

	require.NoError(t, one.Submit(ctx, "flow", "run", nil))
	stop := work(t, one, 1)
	<-began
	work(t, two, 1)
	want := agentgraph.Artifacts{"shared": []byte("1"), "by": []byte(`"second"`)}
	require.Equal(t, want, settled(t, two, "run"))
	close(release)
	<-returned
	stop()
	require.Equal(t, want, settled(t, two, "run"))
	require.EqualValues(t, 1, shared.Load())
	attempts, err := agentgraph.Attempts(ctx, two.Store(), "run")
	require.NoError(t, err)
	require.Len(t, attempts, 2)
	require.Equal(t, agentgraph.RunRunning, attempts[0].Status)
	require.Equal(t, agentgraph.RunFinished, attempts[1].Status)
}
