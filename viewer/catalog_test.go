package viewer

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// hurried is a viewer whose looks have no time, and whose every list is a fresh one.
func hurried(store agentgraph.Store) *viewer {
	v := restless(store)
	v.catalog.limit = func(time.Duration) func() bool { return func() bool { return true } }
	return v
}

// statusOfRun is what the next list says of a run; empty if it is not there.
func statusOfRun(t *testing.T, v *viewer, id string) agentgraph.RunStatus {
	list, err := v.catalog.all(context.Background())
	require.NoError(t, err)
	for _, s := range list.runs {
		if s.RunID == id {
			return s.Status
		}
	}
	return ""
}

// looksUntil is how many lists it takes until one says so of a run.
func looksUntil(t *testing.T, v *viewer, id string, want agentgraph.RunStatus) int {
	for n := 1; n <= 20; n++ {
		if statusOfRun(t, v, id) == want {
			return n
		}
	}
	t.Fatalf("run %q is never %s", id, want)
	return 0
}

// fails takes a run up again.
func fails(t *testing.T, store agentgraph.Store, id string) {
	_, err := agentgraph.NewResumable("steps", func(*agentgraph.Step) error { return context.DeadlineExceeded },
		&agentgraph.ResumableOptions{Store: store}).Run(context.Background(), id, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestLookWithoutTime: where there is no time to look at all runs, a list says how many
// it lacks, and in the end each run stands there as on its own page.
func TestLookWithoutTime(t *testing.T) {
	ctx, store := context.Background(), &counting{Store: agentgraph.NewMemStore()}
	const many = 6*atLeast + 8
	require.NoError(t, sample.Copies(ctx, store, many))
	v := hurried(store)
	h := v.handler()
	require.Contains(t, body(t, h, "/"), fmt.Sprintf("%d of %d runs read so far.", atLeast, many))
	require.Contains(t, body(t, h, "/waiting"), fmt.Sprintf("%d of %d runs read so far.", 2*atLeast, many))
	for range 5 {
		body(t, h, "/")
	}
	page := body(t, h, "/")
	require.NotContains(t, page, "read so far")
	require.Contains(t, page, fmt.Sprintf("of %d<", many))
	shown := hrefs(page, "run?id=run-")
	require.Len(t, shown, perPage)
	require.Contains(t, shown, "run?id=run-00049")

	store.records.Store(0)
	_, err := v.catalog.all(ctx)
	require.NoError(t, err)
	require.Equal(t, int64(2*atLeast), store.records.Load(), "one record of each run that was looked at")

	last := fmt.Sprintf("run-%05d", many-1)
	fails(t, store, last)
	require.LessOrEqual(t, looksUntil(t, v, last, agentgraph.RunFailed), many/atLeast+1)
	fails(t, store, "run-00049")
	require.LessOrEqual(t, looksUntil(t, v, "run-00049", agentgraph.RunFailed), 2, "it is on the page that was shown last")
	asks(t, store, "asks", "which", "Which?")
	require.Equal(t, 1, looksUntil(t, v, "asks", agentgraph.RunWaiting), "it is new")
	v.catalog.show(nil)
	require.NoError(t, agentgraph.Answer(ctx, store, "asks", "which", "this"))
	require.Equal(t, 1, looksUntil(t, v, "asks", agentgraph.RunAnswered), "what waits comes before what has ended")

	for i := range many {
		requireAgreed(t, v, fmt.Sprintf("run-%05d", i))
	}
}

// TestAnsweredIsToldAtOnce: also among many that wait.
func TestAnsweredIsToldAtOnce(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	for i := range 3 * atLeast {
		asks(t, store, fmt.Sprintf("asks-%03d", i), "which", "Which?")
	}
	v := hurried(store)
	for range 4 {
		require.NotEmpty(t, statusOfRun(t, v, "asks-000"))
	}
	require.NoError(t, agentgraph.Answer(ctx, store, "asks-095", "which", "this"))
	v.catalog.forget("asks-095")
	require.Equal(t, agentgraph.RunAnswered, statusOfRun(t, v, "asks-095"))
}

// TestEventsReadOn: a page that lacks runs hears of them, until all are there.
func TestEventsReadOn(t *testing.T) {
	store := agentgraph.NewMemStore()
	require.NoError(t, sample.Copies(context.Background(), store, 3*atLeast))
	v := hurried(store)
	v.beat = time.Millisecond
	server := httptest.NewServer(v.handler())
	defer server.Close()
	page := body(t, v.handler(), "/")
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/"+hrefs(page, "events?")[0], nil)
	require.NoError(t, err)
	events, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer events.Body.Close()
	lines := bufio.NewScanner(events.Body)
	require.NotEmpty(t, next(lines), "some more")
	print := next(lines)
	list, err := v.catalog.all(ctx)
	require.NoError(t, err)
	require.Zero(t, list.unread)
	require.Equal(t, list.print(v.now()), print)
}
