package viewer

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// TestSilence: a run that has not ended is running until nothing was heard of it for
// two minutes, in the list and on its own page.
func TestSilence(t *testing.T) {
	ctx, whole, store := context.Background(), agentgraph.NewMemStore(), agentgraph.NewMemStore()
	require.NoError(t, sample.Steps(ctx, whole, "run", 3))
	var records []agentgraph.Record
	for r, err := range whole.Read(ctx, "run", 0) {
		require.NoError(t, err)
		records = append(records, r)
	}
	records = records[:len(records)-1] // all but that it ended
	require.NoError(t, store.Append(ctx, "run", 0, records...))
	last := records[len(records)-1].Time
	for after, want := range map[time.Duration]string{0: "running", 2 * time.Minute: "running", 2*time.Minute + 1: "interrupted"} {
		v := newViewer(store, &Options{})
		v.now = func() time.Time { return last.Add(after) }
		for _, page := range []string{"/", "/run?id=run"} {
			require.Regexp(t, `<span class="status `+want+`">`, body(t, v.handler(), page), "%s after %v", page, after)
		}
		rec, err := v.read(httptest.NewRequest("GET", "/run?id=run", nil))
		require.NoError(t, err)
		end := last
		if want == "running" {
			end = last.Add(after)
		}
		require.Equal(t, end, newFall(rec, 0, v.now()).end, "where the waterfall ends after %v", after)
	}
}
