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
func form(t testing.TB, h http.Handler, id string) url.Values {
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
	return sendTo(h, "/waiting", values, headers...)
}

func sendTo(h http.Handler, target string, values url.Values, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", target, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// landing is where a browser goes that was redirected from there.
func landing(t *testing.T, from string, w *httptest.ResponseRecorder) string {
	base, err := url.Parse(from)
	require.NoError(t, err)
	to, err := base.Parse(w.Header().Get("Location"))
	require.NoError(t, err)
	return to.String()
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
		for _, target := range []string{"/", "/run", "/panel", "/meeting", "/meeting.json", "/post", "/value", "/waiting", "/question", "/events", "/assets/app.js"} {
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
	require.Equal(t, "/waiting?answered=approve&id=approval", landing(t, "/waiting", w))
	require.Empty(t, questions(t, store, "approval"))
	page := body(t, h, landing(t, "/waiting", w))
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

// TestAnswerBelowAPath: who has answered stays below the path that the handler is
// mounted at.
func TestAnswerBelowAPath(t *testing.T) {
	h := New(filled(t), &Options{Answer: true})
	values := form(t, h, "approval")
	values.Set("answer", "yes")
	w := sendTo(http.StripPrefix("/agents", h), "/agents/waiting", values)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
	require.Equal(t, "/agents/waiting?answered=approve&id=approval", landing(t, "/agents/waiting", w))
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

// TestAnswerThatNoRunCanHold: JSON with half a character, or nested without end, is
// refused as what it is. What is said at a seat stands deeper.
func TestAnswerThatNoRunCanHold(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, bad := range []struct{ id, answer, why string }{
		{"approval", "\"\xff\"", "invalid UTF-8"}, {"desk", "\"\xff\"", "invalid UTF-8"},
		{"approval", deep(9_901), "nested deeper"}, {"desk", deep(9_900), "nested deeper"},
	} {
		values := form(t, h, bad.id)
		values.Set("form", "json")
		values.Set("answer", bad.answer)
		w := send(h, values)
		require.Equal(t, http.StatusBadRequest, w.Code, "%s: %s", bad.id, bad.why)
		require.Contains(t, w.Body.String(), bad.why)
		require.Len(t, questions(t, store, bad.id), 1)
	}
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

// claims is a store with a run "claims" that waits at a seat for something that is no
// text.
func claims(t *testing.T) agentgraph.Store {
	type claim struct{ Sum int }
	store := agentgraph.NewMemStore()
	g := agentgraph.Connect(agentgraph.Channels("claims"), agentgraph.Vertex("mail"), agentgraph.Vertex("clerk"))
	roster, err := agentgraph.ToRoster(g, agentgraph.Registry[claim]{"mail": agentgraph.External[claim](), "clerk": agentgraph.External[claim]()})
	require.NoError(t, err)
	_, err = agentgraph.NewResumable("claims", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, []agentgraph.Post[claim]{agentgraph.NewPost("mail", []string{"claims"}, claim{1})})
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "claims", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	return store
}

// TestNoTextFits: the form of a seat where no text can answer has JSON chosen, and
// comes back with what was typed when a text is sent.
func TestNoTextFits(t *testing.T) {
	const textChosen, jsonChosen = `value="text" checked`, `value="json" checked`
	store := claims(t)
	h := New(store, &Options{Answer: true})
	page := body(t, h, "/waiting")
	require.Contains(t, page, jsonChosen)
	require.NotContains(t, page, textChosen)
	require.Contains(t, page, "is no text, and wants an answer in JSON.")

	values := form(t, h, "claims")
	values.Set("answer", "fine <by> me")
	w := send(h, values)
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, w.Body.String(), "No text can answer this")
	require.Contains(t, w.Body.String(), `>fine &lt;by&gt; me</textarea>`)
	require.Contains(t, w.Body.String(), jsonChosen)
	require.Len(t, questions(t, store, "claims"), 1)

	values.Set("form", "json")
	values.Set("answer", `{"Sum":1}`)
	require.Equal(t, http.StatusSeeOther, send(h, values).Code)
	require.Empty(t, questions(t, store, "claims"))

	page = body(t, New(filled(t), &Options{Answer: true}), "/waiting")
	require.Contains(t, page, textChosen)
	require.NotContains(t, page, jsonChosen, "a text may answer a question, and a post that is one")
	require.NotContains(t, page, "wants an answer in JSON")
}

// TestNoJSON: the form comes back with what was typed, and can be sent again.
func TestNoJSON(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	values := form(t, h, "approval")
	values.Set("answer", "{\r\n")
	values.Set("form", "json")
	w := send(h, values)
	require.Equal(t, http.StatusBadRequest, w.Code)
	for _, part := range []string{"The answer is no JSON: {", ">{\n</textarea>", `value="json" checked`, `name="token" value="` + values.Get("token"), `name="print" value="` + values.Get("print")} {
		require.Contains(t, w.Body.String(), part)
	}
	require.Len(t, questions(t, store, "approval"), 1)
}

// wants is a store with a run that asks for a T.
func wants[T any](t testing.TB) agentgraph.Store {
	store := agentgraph.NewMemStore()
	_, err := agentgraph.NewResumable("asks", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[T](s, "q", "Which?")
		return err
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	return store
}

// TestAnswerOfAnotherKind: the form has chosen what fits the kind of answer that is
// wanted, says which that is, and comes back when it is plainly another, with what was
// typed and why.
func TestAnswerOfAnotherKind(t *testing.T) {
	const textChosen, jsonChosen, noText = `value="text" checked`, `value="json" checked`, "No text can answer this: "
	for _, c := range []struct {
		store                   func(testing.TB) agentgraph.Store
		wanted, chosen          string
		form, other, why, taken string
	}{
		{wants[bool], "a boolean (true or false), in JSON", jsonChosen, "text", "true", noText + "a boolean (true or false) is wanted. Write it in JSON, and choose JSON.", "true"},
		{wants[bool], "a boolean (true or false), in JSON", jsonChosen, "json", `"true"`, "The answer is a text, and a boolean (true or false) is wanted.", "null"},
		{wants[float64], "a number, in JSON", jsonChosen, "json", "[1]", "The answer is a list, and a number is wanted.", " 1.5"},
		{wants[[]int], "a list, in JSON", jsonChosen, "json", "{}", "The answer is an object, and a list is wanted.", "[1]"},
		{wants[map[string]int], "an object, in JSON", jsonChosen, "json", "true", "The answer is a boolean (true or false), and an object is wanted.", "{}"},
		{wants[string], "a text", textChosen, "json", "12", "The answer is a number, and a text is wanted. Choose Text, or write it in quotes.", `"12"`},
	} {
		store := c.store(t)
		h := New(store, &Options{Answer: true})
		page := body(t, h, "/waiting")
		require.Contains(t, page, `id="w0">Wanted: `+c.wanted+`</p>`)
		require.Contains(t, page, ` aria-describedby="w0">`)
		require.Contains(t, page, c.chosen)
		require.Equal(t, 1, strings.Count(page, " checked"))

		values := form(t, h, "run")
		values.Set("form", c.form)
		values.Set("answer", c.other)
		w := send(h, values)
		require.Equal(t, http.StatusBadRequest, w.Code, c.other)
		page = html.UnescapeString(w.Body.String())
		require.Contains(t, page, `id="r0" dir="auto">`+c.why+`</p>`)
		require.Contains(t, page, `aria-invalid="true" aria-describedby="r0 w0">`+c.other+`</textarea>`)
		require.Contains(t, page, jsonChosen)
		require.Contains(t, page, `id="w0">Wanted: `+c.wanted+`</p>`)
		require.Len(t, questions(t, store, "run"), 1)

		values.Set("form", "json")
		values.Set("answer", c.taken)
		require.Equal(t, http.StatusSeeOther, send(h, values).Code)
		require.Empty(t, questions(t, store, "run"))
	}
}

// TestAnswerOfAnyKind: where anything may do, nothing is refused, and a text is chosen
// as ever.
func TestAnswerOfAnyKind(t *testing.T) {
	for as, answers := range map[string][]string{"text": {"true", "[1"}, "json": {"true", "1", `"x"`, "[]", "{}", "null"}} {
		for _, answer := range answers {
			store := wants[any](t)
			h := New(store, &Options{Answer: true})
			page := body(t, h, "/waiting")
			require.NotContains(t, page, "Wanted")
			require.NotContains(t, page, "aria-describedby")
			require.Contains(t, page, `value="text" checked`)
			values := form(t, h, "run")
			values.Set("form", as)
			values.Set("answer", answer)
			require.Equal(t, http.StatusSeeOther, send(h, values).Code, answer)
			require.Empty(t, questions(t, store, "run"))
		}
	}
}

// TestWantedOnlyWhereAnswersGo: a page that only reads says nothing of the form.
func TestWantedOnlyWhereAnswersGo(t *testing.T) {
	require.NotContains(t, body(t, New(wants[bool](t), nil), "/waiting"), "Wanted")
}
