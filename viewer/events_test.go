package viewer

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// next reads up to the next event of a stream.
func next(lines *bufio.Scanner) string {
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// TestEventsFollowARun: a page hears of each step, and nothing is left when it is
// closed.
func TestEventsFollowARun(t *testing.T) {
	store := agentgraph.NewMemStore()
	v := newViewer(store, &Options{})
	v.beat = time.Millisecond
	before := runtime.NumGoroutine()
	server := httptest.NewServer(v.handler())
	proceed, ended := make(chan bool), make(chan error)
	go func() {
		_, err := agentgraph.NewResumable("slow", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b", "c"} {
				<-proceed
				if err := s.Step(name, func(*agentgraph.Step) error { return nil }); err != nil {
					return err
				}
			}
			<-proceed
			return nil
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "slow", nil)
		ended <- err
	}()
	events, err := http.Get(server.URL + "/events?id=slow")
	require.NoError(t, err)
	defer events.Body.Close()
	require.Equal(t, "text/event-stream", events.Header.Get("Content-Type"))
	lines := bufio.NewScanner(events.Body)
	require.NotEmpty(t, next(lines))
	for range 4 {
		proceed <- true
		require.NotEmpty(t, next(lines))
	}
	require.NoError(t, <-ended)
	require.NoError(t, events.Body.Close())
	server.Close() // waits for requests
	for wait := 0; runtime.NumGoroutine() > before; wait++ {
		require.Less(t, wait, 10_000, "a goroutine is left")
		time.Sleep(time.Millisecond)
	}
}

func TestEventsFollowTheList(t *testing.T) {
	store := agentgraph.NewMemStore()
	v := newViewer(store, &Options{})
	v.beat = time.Millisecond
	clock := time.Now()
	v.now = func() time.Time { clock = clock.Add(fresh); return clock } // each look is a fresh one
	ctx, leave := context.WithCancel(context.Background())
	news := make(chan string)
	done := make(chan bool)
	list, err := v.catalog.all(ctx)
	require.NoError(t, err)
	look := v.newRuns(list.print(clock))
	first, err := look(ctx)
	require.NoError(t, err)
	require.Empty(t, first, "the page knows all")
	go func() {
		v.follow(ctx, look, func(text string) bool { news <- text; return true })
		close(done)
	}()
	_, err = agentgraph.NewResumable("r", func(*agentgraph.Step) error { return nil }, &agentgraph.ResumableOptions{Store: store}).Run(ctx, "r", nil)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(<-news, "data: "))
	leave()
	for {
		select {
		case <-news:
			continue
		case <-done:
			return
		}
	}
}

func TestEventsOfNothing(t *testing.T) {
	h := New(agentgraph.NewMemStore(), nil)
	ctx, leave := context.WithCancel(context.Background())
	leave()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/events?id=nobody", nil).WithContext(ctx))
	require.NotContains(t, w.Body.String(), "data:")
}
