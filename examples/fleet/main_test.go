package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// TestMain is the program itself in the processes that it starts.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-worker") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestFleet hands in a letter, kills every worker in the middle, and lets the letter
// out when it waits.
func TestFleet(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out := &output{}
	served, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		done <- serve(served, settings{addr: "127.0.0.1:0", dir: t.TempDir(), workers: 3, pace: time.Second}, out)
	}()
	url := out.url(t, ctx)
	get := func(path string, value any) int { return request(t, ctx, http.MethodGet, url+path, "", value) }
	post := func(path, body string) int { return request(t, ctx, http.MethodPost, url+path, body, new(any)) }

	require.Equal(t, http.StatusNotFound, get("/letters/bob", new(any)))
	require.Equal(t, http.StatusAccepted, post("/letters/bob", "Dear Bob,\n\nCOME NOW!\n\nTODO: sign"))
	reach := func(state natsfleet.State) (l letter) {
		for l.Status.State != state {
			require.Equal(t, http.StatusOK, get("/letters/bob", &l))
			time.Sleep(10 * time.Millisecond)
		}
		return l
	}
	reach(natsfleet.Working)
	var pids []int
	get("/workers", &pids)
	require.Len(t, pids, 3)
	for _, pid := range pids {
		process, err := os.FindProcess(pid)
		require.NoError(t, err)
		require.NoError(t, process.Kill())
	}
	l := reach(natsfleet.Waiting)
	require.Equal(t, 2, l.Status.Run.Attempts)
	require.Len(t, l.Status.Questions, 1)
	require.JSONEq(t, `["paragraph-2: tone: too loud", "paragraph-3: todos: not done"]`, string(l.Status.Questions[0].Question))
	require.Equal(t, http.StatusAccepted, post("/letters/bob/publish", "true"))
	l = reach(natsfleet.Finished)
	require.Equal(t, "true", string(l.Outcome["publish"]))
	require.Equal(t, http.StatusConflict, post("/letters/bob/publish", "true"))
	require.Contains(t, l.Steps, "paragraph-1: cached")

	page, err := http.Get(url + "/")
	require.NoError(t, err)
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "bob", "the pages list the run")

	stop()
	require.NoError(t, <-done)
}

// output waits for what the program prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) url(t *testing.T, ctx context.Context) string {
	for {
		o.mu.Lock()
		line, _, ok := strings.Cut(o.text.String(), "\n")
		o.mu.Unlock()
		if ok {
			return strings.TrimPrefix(line, "The fleet is up: ")
		}
		require.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
	}
}

func request(t *testing.T, ctx context.Context, method, url, body string, value any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, value), string(text))
	return answer.StatusCode
}
