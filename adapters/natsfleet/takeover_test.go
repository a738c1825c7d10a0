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
	flowOf := func(work func(context.Context) (string, error)) *agentgraph.Resumable {
		return agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
			if _, err := agentgraph.Do(s, "shared", func(context.Context) (int64, error) { return shared.Add(1), nil }); err != nil {
				return err
			}
			_, err := agentgraph.Do(s, "by", work)
			return err
		}, nil)
	}
	blocking := func(name string, began chan<- struct{}, release <-chan struct{}) func(context.Context) (string, error) {
		return func(context.Context) (string, error) {
			began <- struct{}{}
			<-release
			return name, nil
		}
	}
	o := natsfleet.Options{Silence: time.Second}
	began1, release1 := make(chan struct{}, 9), make(chan struct{})
	began2, release2 := make(chan struct{}, 9), make(chan struct{})
	one := fleet(t, connect(t, srv), o, flowOf(blocking("first", began1, release1)))
	one.Mute()
	two := fleet(t, connect(t, srv), o, flowOf(blocking("second", began2, release2)))

	require.NoError(t, one.Submit(ctx, "flow", "run", nil))
	stop := work(t, one, 1)
	<-began1
	work(t, two, 2)
	<-began2
	close(release1)
	stop()
	time.Sleep(1500 * time.Millisecond) // in which the run would be handed out again, if the first had handed it back
	close(release2)
	require.Equal(t, agentgraph.Artifacts{"shared": []byte("1"), "by": []byte(`"second"`)}, settled(t, two, "run"))
	require.EqualValues(t, 1, shared.Load())
	attempts, err := agentgraph.Attempts(ctx, two.Store(), "run")
	require.NoError(t, err)
	require.Len(t, attempts, 2)
	require.Equal(t, agentgraph.RunRunning, attempts[0].Status)
	require.Equal(t, agentgraph.RunFinished, attempts[1].Status)
}
