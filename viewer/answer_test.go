package viewer

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// form is the one for a run on the waiting page, as a browser would send it.
func form(t *testing.T, h http.Handler, id string) url.Values {
	page := body(t, h, "/waiting")
	values := url.Values{"form": {"text"}}
	for _, article := range regexp.MustCompile(`(?s)<article.*?</article>`).FindAllString(page, -1) {
		if !strings.Contains(html.UnescapeString(article), `name="id" value="`+url.QueryEscape(id)+`"`) {
			continue
		}
		for _, m := range regexp.MustCompile(`name="([a-z]+)" value="([^"]*)"`).FindAllStringSubmatch(article, -1) {
			if m[1] != "form" {
				values.Set(m[1], html.UnescapeString(m[2]))
			}
		}
		return values
	}
	t.Fatalf("no form for run %q", id)
	return nil
}

func send(h http.Handler, values url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/waiting", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func questions(t *testing.T, store agentgraph.Store, id string) []agentgraph.Question {
	open, err := agentgraph.Questions(context.Background(), store, id)
	require.NoError(t, err)
	return open
}

func TestWaiting(t *testing.T) {
	store := filled(t)
	page := body(t, New(store, nil), "/waiting")
	require.Contains(t, page, "two chairs")
	require.Contains(t, page, "Who knows about the old bridge?")
	require.NotContains(t, page, "<form")
	require.NotContains(t, page, "token")
	require.Equal(t, http.StatusMethodNotAllowed, send(New(store, nil), url.Values{}).Code)
	require.Contains(t, body(t, New(agentgraph.NewMemStore(), nil), "/waiting"), "Nothing waits for an answer.")
}

// TestNothingButReading: without Options.Answer no method but GET and HEAD does
// anything, anywhere.
func TestNothingButReading(t *testing.T) {
	h := New(filled(t), nil)
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		for _, target := range []string{"/", "/run", "/panel", "/meeting", "/meeting.json", "/post", "/value", "/waiting", "/events", "/assets/app.js"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
			require.Equal(t, http.StatusMethodNotAllowed, w.Code, "%s %s", method, target)
		}
	}
}

func TestAnswer(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "approval")
	values.Set("answer", "yes,\r\nboth")
	w := send(h, values, "Sec-Fetch-Site", "same-origin")
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
	require.Equal(t, "/waiting?answered=approve&id=approval", w.Header().Get("Location"))
	require.Empty(t, questions(t, store, "approval"))
	page := body(t, h, w.Header().Get("Location"))
	require.Contains(t, page, `Answered <bdi class="mono">approve</bdi>`)
	require.NotContains(t, page, "two chairs")
	require.Contains(t, body(t, h, "/"), `<span class="status answered">`)
	require.Contains(t, body(t, h, "/run?id=approval"), `<span class="status answered">`)

	var got string
	_, err := agentgraph.NewResumable("approval", func(s *agentgraph.Step) (err error) {
		got, err = agentgraph.Ask[string](s, "approve", map[string]any{"amount": 1200, "for": "two chairs", "choices": []string{"yes", "no"}})
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "approval", nil)
	require.NoError(t, err)
	require.Equal(t, "yes,\nboth", got)
	require.Equal(t, http.StatusConflict, send(h, values).Code, "it is asked no more")
}

func TestAnswerAtSeat(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "desk")
	values.Set("answer", `{"a":`)
	values.Set("form", "json")
	require.Equal(t, http.StatusBadRequest, send(h, values).Code)
	values.Set("answer", `"It fell in 1911."`)
	require.Equal(t, http.StatusSeeOther, send(h, values).Code)
	require.Empty(t, questions(t, store, "desk"))
}

func TestAnswerWithStrangeNames(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, sample.Hostile)
	values.Set("answer", sample.Hostile)
	require.Equal(t, http.StatusSeeOther, send(h, values).Code)
	require.Empty(t, questions(t, store, sample.Hostile))
}

// TestAnswerFromElsewhere: what no page of the handler sent changes nothing.
func TestAnswerFromElsewhere(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "approval")
	values.Set("answer", "yes")
	require.Equal(t, http.StatusForbidden, send(h, values, "Sec-Fetch-Site", "cross-site").Code)
	require.Equal(t, http.StatusForbidden, send(h, values, "Sec-Fetch-Site", "same-site").Code)
	require.Equal(t, http.StatusForbidden, send(h, values, "Origin", "https://elsewhere.example").Code)
	for _, token := range []string{"", "wrong", form(t, New(store, &Options{Answer: true}), "approval").Get("token")} {
		values.Set("token", token)
		require.Equal(t, http.StatusForbidden, send(h, values).Code, token)
	}
	require.Len(t, questions(t, store, "approval"), 1)

	r := httptest.NewRequest("POST", "/waiting?"+form(t, h, "approval").Encode()+"&answer=yes", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusForbidden, w.Code, "an address is no form")
	require.Len(t, questions(t, store, "approval"), 1)
}

func TestAnswerTooLong(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "approval")
	values.Set("answer", strings.Repeat("x", longestAnswer))
	require.Equal(t, http.StatusRequestEntityTooLarge, send(h, values).Code)
	require.Len(t, questions(t, store, "approval"), 1)
}

// TestAnswerToAnother: what was asked has changed since the page was made.
func TestAnswerToAnother(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "approval")
	_, err := agentgraph.NewResumable("approval", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[string](s, "approve", "one table")
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "approval", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	values.Set("answer", "yes")
	require.Equal(t, http.StatusConflict, send(h, values).Code)
	require.Len(t, questions(t, store, "approval"), 1)
}
