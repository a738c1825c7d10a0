package viewer

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// FuzzAnswer: whatever a form sends, there is an answer that is no server error, and
// nothing changes unless its token is that of the pages and its question is open.
// field says which of the true fields is replaced by what was made up: 0 for none.
func FuzzAnswer(f *testing.F) {
	ids := []string{"approval", "desk"}
	whole := filled(f)
	v := newViewer(whole, &Options{Answer: true})
	h := v.handler()
	records, forms := map[string][]agentgraph.Record{}, map[string]url.Values{}
	for _, id := range ids {
		records[id] = recordsOf(f, whole, id)
		forms[id] = form(f, h, id)
	}
	for _, seed := range []struct{ made, answer, form string }{
		{"", "yes", "text"}, {"approve", `{"a":1}`, "json"}, {"talk", `{"a":`, "json"}, {"%zz", "\xff", "text"},
		{"anna", "\"\xff\"", "json"}, {"desk", "[[[{}]]]", "json"}, {"../x", "null", "json"}, {"a\x00b", "", "json"}, {"%E4", `{"a":1,"a":2}`, "json"},
		{"", "1e999", "json"}, {"", `"\ud800"`, "json"},
	} {
		for field := range uint8(6) {
			f.Add(uint8(0), field, seed.made, seed.answer, seed.form)
			f.Add(uint8(1), field, seed.made, seed.answer, seed.form)
		}
	}
	fields := []string{"", "token", "id", "step", "seat", "print"}
	f.Fuzz(func(t *testing.T, run, field uint8, made, answer, kind string) {
		store := agentgraph.NewMemStore()
		for _, id := range ids {
			require.NoError(t, store.Append(context.Background(), id, 0, records[id]...))
		}
		v.store, v.catalog = store, newCatalog(store, &v.shelf, v.now)
		id, replaced := ids[int(run)%len(ids)], fields[int(field)%len(fields)]
		values := maps.Clone(forms[id])
		fits := replaced == "" || values.Get(replaced) == made
		if replaced == "id" || replaced == "step" || replaced == "seat" {
			fits = unescaped(values.Get(replaced)) == unescaped(made)
		}
		if replaced != "" {
			values.Set(replaced, made)
		}
		values.Set("answer", answer)
		values.Set("form", kind)
		w := send(h, values)
		require.Less(t, w.Code, 500, w.Body)
		for _, other := range ids {
			want := len(records[other])
			if other == id && w.Code == http.StatusSeeOther {
				require.True(t, fits, "%s: %q", replaced, made)
				want++
			}
			require.Len(t, recordsOf(t, store, other), want, "%s: %d", other, w.Code)
		}
		if fits && kind != "json" && len(answer) < longestAnswer/8 {
			require.Equal(t, http.StatusSeeOther, w.Code, "an answer that is a text")
		}
	})
}

// unescaped is what a field of a form means, or what it is where that is nothing.
func unescaped(field string) string {
	if text, err := url.QueryUnescape(field); err == nil {
		return text
	}
	return field
}
