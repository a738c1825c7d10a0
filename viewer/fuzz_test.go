package viewer

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// FuzzParameters: whatever is asked for, there is an answer that is no server error,
// and nothing that was asked comes back as markup.
func FuzzParameters(f *testing.F) {
	h := New(filled(f), &Options{Answer: true})
	pages := []string{"", "run", "panel", "meeting", "meeting.json", "post", "value", "waiting", "question", "events"}
	for i := range pages {
		f.Add(i, "order", "1", "0", "in", "cart", "x")
		f.Add(i, "panel", "1", "0.0", "turn", "state", "2")
		f.Add(i, sample.Hostile, "-1", "0.0.0.", "out", sample.Hostile, "<script>alert")
	}
	f.Fuzz(func(t *testing.T, page int, id, attempt, step, of, name, other string) {
		target := pages[uint(page)%uint(len(pages))]
		query := url.Values{
			"id": {id}, "attempt": {attempt}, "step": {step}, "of": {of}, "name": {name},
			"q": {other}, "status": {other}, "page": {other}, "n": {other}, "seat": {name}, "print": {other}, "from": {other}, "after": {other}, "answered": {other}, "show": {other},
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if target == "events" {
			cancel()
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/"+target+"?"+query.Encode(), nil).WithContext(ctx))
		require.Less(t, w.Code, 500, w.Body)
		if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			require.NotContains(t, w.Body.String(), "<script>")
		}
	})
}
