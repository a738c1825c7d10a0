package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

// A review whose worker is killed in the middle goes on at another one, and after a
// stop of the whole service too. Its report and its log are those of one that nobody
// disturbed.
func TestKilled(t *testing.T) {
	request := review.Request{Paths: []string{"testdata"}, Tests: true, All: true}
	want, turns := undisturbed(t, request)
	dir := t.TempDir()

	slow := start(t, dir, 3, time.Hour) // which never ends
	code, text := slow.send(t, http.MethodPost, "/reviews/friday", `{"paths": ["testdata"], "tests": true, "all": true}`)
	require.Equal(t, http.StatusAccepted, code, text)
	first := slow.worker(t, "friday", 1)
	slow.reach(t, "friday", 2)
	require.NoError(t, first.Kill())
	second := slow.worker(t, "friday", 2)
	require.NotEqual(t, first.Pid, second.Pid)
	require.Equal(t, natsfleet.Working, slow.standing(t, "friday").State)
	require.Contains(t, slow.get(t, "/"), "friday", "the pages list the run")
	slow.stop()

	quick := start(t, dir, 3, 0)
	require.Equal(t, review.Outcome(want).String(), quick.get(t, "/reviews/friday/report"))
	now := quick.standing(t, "friday")
	require.Equal(t, natsfleet.Finished, now.State)
	require.GreaterOrEqual(t, now.Run.Attempts, 3)
	var skipped, taken int
	_, err := fmt.Sscanf(now.Turns, "%d turns skipped, %d taken", &skipped, &taken)
	require.NoError(t, err, now.Turns)
	require.GreaterOrEqual(t, skipped, 2)
	require.Equal(t, turns, skipped+taken)
	quick.stop()

	require.Equal(t, want, recorded(t, dir, "friday"))
}

// undisturbed is the log of a review that nobody disturbs, and how many turns it has.
func undisturbed(t *testing.T, request review.Request) (log []review.Post, turns int) {
	t.Helper()
	var err error
	request.Sources, err = review.Sources(t.Context(), os.DirFS(root), request)
	require.NoError(t, err)
	log, tally := hold(t, agentgraph.NewMemStore(), "undisturbed", request)
	_, err = fmt.Sscanf(tally, "0 turns skipped, %d taken", &turns)
	require.NoError(t, err, tally)
	return log, turns
}

// recorded is the log of a review as the fleet has kept it: it is held once more, with
// all turns skipped.
func recorded(t *testing.T, dir, run string) []review.Post {
	t.Helper()
	srv, err := natsfleet.Embedded(dir, func(o *server.Options) { o.DontListen = false })
	require.NoError(t, err)
	defer srv.Close()
	f, nc, err := join(t.Context(), settings{urls: srv.URL()}, t.Output())
	require.NoError(t, err)
	defer nc.Close()
	attempts, err := agentgraph.Attempts(t.Context(), f.Store(), run)
	require.NoError(t, err)
	log, tally := hold(t, f.Store(), run, attempts[len(attempts)-1].Artifacts["request"])
	require.Equal(t, "all turns skipped, 0 taken", tally)
	return log
}

// hold reviews a request in this process, and returns the log and what became of the turns.
func hold(t *testing.T, store agentgraph.Store, run string, request any) (log []review.Post, tally string) {
	t.Helper()
	roster, err := review.NewRoster(0)
	require.NoError(t, err)
	work := agentgraph.NewResumable(flowName, func(s *agentgraph.Step) (err error) {
		log, err = review.Hold(s, roster)
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := work.Run(t.Context(), run, map[string]any{"request": request})
	require.NoError(t, err)
	return log, review.Tally(result.Steps)
}

// reach waits until so many turns of a review are done.
func (f *fleet) reach(t *testing.T, run string, turns int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for f.standing(t, run).Run.Done < turns {
		require.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
	}
}

// standing asks the service where a review stands.
func (f *fleet) standing(t *testing.T, run string) (now standing) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(f.get(t, "/reviews/"+run)), &now))
	return now
}
