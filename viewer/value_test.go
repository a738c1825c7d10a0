package viewer

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestBigValue: an artifact of 50 MB is shown cut, and whole as a file.
func TestBigValue(t *testing.T) {
	store, big := agentgraph.NewMemStore(), strings.Repeat("long ", 10_000_000)
	_, err := agentgraph.NewResumable("big", func(s *agentgraph.Step) error {
		return s.Step("make", func(s *agentgraph.Step) error { s.Set("big", big); return nil })
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "big", nil)
	require.NoError(t, err)
	h := New(store, nil)
	panel := body(t, h, "/panel?id=big&step=0")
	require.Less(t, len(panel), 10_000)
	require.Contains(t, panel, "The beginning of 50 MB.")
	require.Less(t, len(body(t, h, "/run?id=big")), 20_000)
	w := get(h, "/"+hrefs(panel, "value?")[0])
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.Equal(t, "attachment; filename=big.json", w.Header().Get("Content-Disposition"))
	var got string
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	require.True(t, got == big)
}

func TestValue(t *testing.T) {
	h := New(filled(t), nil)
	require.JSONEq(t, `"EUR"`, body(t, h, "/value?id=order&attempt=2&step=1&of=in&name=currency"))
	require.JSONEq(t, `{"seen":3}`, body(t, h, "/value?id=order&attempt=2&step=1&of=state&name=pricer"))
	require.JSONEq(t, `"Ada"`, body(t, h, "/value?id=order&of=in&name=customer"))
	require.Equal(t, http.StatusNotFound, get(h, "/value?id=order&attempt=2&step=1&of=out&name=nothing").Code)
	require.Equal(t, http.StatusNotFound, get(h, "/value?id=order&step=9&of=out&name=cart").Code)
}

func TestFileName(t *testing.T) {
	require.Equal(t, "a_b__c.json", fileName("a/b\n\"c"))
	require.Equal(t, strings.Repeat("x", 80)+".json", fileName(strings.Repeat("x", 99)))
}

func TestCutText(t *testing.T) {
	require.Equal(t, "aä", cutText("aäö", 4))
	require.Equal(t, "aä", cutText("aä", 3))
	require.Empty(t, cutText("ä", 1))
}
