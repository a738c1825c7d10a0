package viewer

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// asks runs a run that asks.
func asks(t testing.TB, store agentgraph.Store, id, step string, question any) {
	_, err := agentgraph.NewResumable("asks", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[string](s, step, question)
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), id, nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
}

// TestLongQuestion: of a question that the page cuts all can be downloaded, whatever
// its step is called, as long as it is asked.
func TestLongQuestion(t *testing.T) {
	store := agentgraph.NewMemStore()
	long := strings.Repeat("Which of these do you want? ", 100_000/28)
	asks(t, store, "long", "a\r\nb"+sample.Hostile, long)
	asks(t, store, "short", "which", "Which?")
	h := New(store, nil)
	page := body(t, h, "/waiting")
	require.Less(t, len(page), 20_000)
	links := hrefs(page, "question?")
	require.Len(t, links, 1, "a short one is there whole")
	w := get(h, "/"+links[0])
	require.Equal(t, http.StatusOK, w.Code)
	var got string
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	require.Equal(t, long, got)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.Contains(t, w.Header().Get("Content-Disposition"), "attachment")

	for _, field := range []string{"id", "step", "seat", "print"} {
		query, err := url.ParseQuery(strings.TrimPrefix(links[0], "question?"))
		require.NoError(t, err)
		query.Set(field, "other")
		require.Equal(t, http.StatusNotFound, get(h, "/question?"+query.Encode()).Code, field)
	}
	require.NoError(t, agentgraph.Answer(context.Background(), store, "long", questions(t, store, "long")[0].Step, "this"))
	require.Equal(t, http.StatusNotFound, get(h, "/"+links[0]).Code, "it is asked no more")
}

// TestQuestionOfASeat: what waits at a seat can be downloaded, too.
func TestQuestionOfASeat(t *testing.T) {
	h := New(filled(t), &Options{Answer: true})
	values := form(t, h, "desk")
	query := url.Values{}
	for _, field := range []string{"id", "step", "seat", "print"} {
		query.Set(field, values.Get(field))
	}
	require.Equal(t, "anna", query.Get("seat"))
	require.Contains(t, body(t, h, "/question?"+query.Encode()), "Who knows about the old bridge?")
	query.Del("seat")
	require.Equal(t, http.StatusNotFound, get(h, "/question?"+query.Encode()).Code)
}
