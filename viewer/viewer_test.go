package viewer

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

func filled(t testing.TB) agentgraph.Store {
	store := agentgraph.NewMemStore()
	require.NoError(t, sample.Fill(context.Background(), store))
	return store
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w
}

// body gets what must be there.
func body(t testing.TB, h http.Handler, target string) string {
	w := get(h, target)
	require.Equal(t, http.StatusOK, w.Code, "%s: %s", target, w.Body)
	return w.Body.String()
}

// hrefs are the links of a page whose addresses have a beginning.
func hrefs(page, beginning string) []string {
	var found []string
	for _, m := range regexp.MustCompile(`(?:href|data-[a-z]+)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if link := html.UnescapeString(m[1]); strings.HasPrefix(link, beginning) {
			found = append(found, link)
		}
	}
	return found
}

func TestRuns(t *testing.T) {
	page := body(t, New(filled(t), &Options{Title: "Our <agents>"}), "/")
	require.Contains(t, page, "Our &lt;agents&gt;")
	for id, status := range map[string]string{"order": "finished", "panel": "finished", "desk": "waiting", "approval": "waiting", "ill": "failed", "stopped": "interrupted"} {
		row := regexp.MustCompile(`(?s)<tr>\s*<td class="what"><a href="run\?id=` + id + `">.*?</tr>`).FindString(page)
		require.Contains(t, row, `<span class="status `+status+`">`, id)
	}
	order := regexp.MustCompile(`(?s)<a href="run\?id=order">.*?</tr>`).FindString(page)
	require.Contains(t, order, `data-label="attempts">3<`)
	require.Contains(t, order, `data-label="done">6<`)
}

// TestRunsAgreesWithInspect: the list, which reads only what is new, says of each run
// what the whole journal says.
func TestRunsAgreesWithInspect(t *testing.T) {
	ctx, store := context.Background(), filled(t)
	require.NoError(t, agentgraph.Answer(ctx, store, "approval", "approve", "yes"))
	require.NoError(t, agentgraph.AnswerSeat(ctx, store, "desk", "talk", "anna", agentgraph.Post[string]{Body: "I"}))
	list, err := newCatalog(store, &shelf{}, time.Now).all(ctx)
	require.NoError(t, err)
	require.Len(t, list.runs, 7)
	for _, s := range list.runs {
		info, err := agentgraph.Inspect(ctx, store, s.RunID)
		require.NoError(t, err)
		require.Equal(t, info, s.RunInfo)
	}
	require.Equal(t, agentgraph.RunAnswered, list.runs[at(t, list, "desk")].Status)
}

func at(t testing.TB, list listing, id string) int {
	for i := range list.runs {
		if list.runs[i].RunID == id {
			return i
		}
	}
	t.Fatalf("no run %q", id)
	return 0
}

func TestRunsFiltered(t *testing.T) {
	h := New(filled(t), nil)
	page := body(t, h, "/?status=failed")
	require.Equal(t, []string{"run?id=ill"}, hrefs(page, "run?"))
	page = body(t, h, "/?q=ORDE")
	require.Equal(t, []string{"run?id=order"}, hrefs(page, "run?"))
	page = body(t, h, "/?q=import")
	require.ElementsMatch(t, []string{"run?id=ill", "run?id=stopped"}, hrefs(page, "run?"))
	require.Contains(t, body(t, h, "/?q=nobody"), "No run fits.")
	require.Contains(t, body(t, New(agentgraph.NewMemStore(), nil), "/"), "There is no run in this store yet.")
}

func TestRunsInPages(t *testing.T) {
	store := agentgraph.NewMemStore()
	require.NoError(t, sample.Copies(context.Background(), store, 10_000))
	v := newViewer(store, &Options{})
	v.catalog.limit = func(time.Duration) func() bool { return func() bool { return false } }
	h := v.handler()
	for _, n := range []int{1, 2, 137, 200} {
		page := body(t, h, fmt.Sprintf("/?page=%d", n))
		var want []string
		for i := range perPage {
			want = append(want, fmt.Sprintf("run?id=run-%05d", (n-1)*perPage+i))
		}
		require.Equal(t, want, hrefs(page, "run?"))
		require.Contains(t, page, fmt.Sprintf("<span>%d–%d of 10000</span>", (n-1)*perPage+1, n*perPage))
		require.Equal(t, n > 1, strings.Contains(page, fmt.Sprintf(`href="./?page=%d" rel="prev"`, n-1)))
		require.Equal(t, n < 200, strings.Contains(page, fmt.Sprintf(`href="./?page=%d" rel="next"`, n+1)))
	}
	require.Len(t, hrefs(body(t, h, "/?page=99999999999"), "run?"), perPage)
	require.Len(t, hrefs(body(t, h, "/?page=-3"), "run?"), perPage)
}

func TestRun(t *testing.T) {
	h := New(filled(t), nil)
	page := body(t, h, "/run?id=order")
	require.Contains(t, page, "<h2>Attempt 3</h2>")
	require.Equal(t, []string{"0", "1", "2"}, places(page))
	require.Contains(t, page, `<span class="key cached">2 cached</span>`)
	require.Contains(t, page, `<span class="key executed">1 executed</span>`)
	require.Equal(t, []string{"0", "0.0", "1"}, places(body(t, h, "/run?id=order&attempt=1")))
	require.Equal(t, http.StatusNotFound, get(h, "/run?id=order&attempt=4").Code)
	require.Equal(t, http.StatusNotFound, get(h, "/run?id=nobody").Code)
	require.Equal(t, http.StatusBadRequest, get(h, "/run?id=").Code)
}

func places(page string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`data-place="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestRunOfManySteps(t *testing.T) {
	store := agentgraph.NewMemStore()
	require.NoError(t, sample.Steps(context.Background(), store, "long", rowsPerPage+10))
	h := New(store, nil)
	page := body(t, h, "/run?id=long")
	require.Len(t, places(page), rowsPerPage)
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page)
	require.NotNil(t, next)
	page = body(t, h, "/"+html.UnescapeString(next[1]))
	require.Len(t, places(page), 10)
	require.Equal(t, "3000", places(page)[0])
}

// TestPanelOfAMeetingThatRanAgain: an agent of it begins with another state.
func TestPanelOfAMeetingThatRanAgain(t *testing.T) {
	store := agentgraph.NewMemStore()
	for start := range 2 {
		type post = agentgraph.Post[string]
		roster, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{
			"a": agentgraph.Atomic(agentgraph.Machine(start, func(n int, _ post) (int, []post) { return n, nil })),
		})
		require.NoError(t, err)
		_, err = agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			_, err := agentgraph.RunMeeting(s, "talk", roster, []post{agentgraph.NewPost("u", []string{agentgraph.Everyone}, "hi")})
			return err
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "talk", nil)
		require.NoError(t, err)
	}
	require.Contains(t, body(t, New(store, nil), "/panel?id=talk&attempt=2&step=0"),
		"Ran: its input is that of attempt 1, but a turn is not recorded as its agent takes it now.")
}

func TestPanel(t *testing.T) {
	h := New(filled(t), nil)
	price := body(t, h, "/panel?id=order&attempt=2&step=1")
	require.Contains(t, price, "Ran: it had not ended well in attempt 1.")
	require.Contains(t, price, `<span class="new"><span class="sign">&#43;</span>   &#34;total&#34;: 58.5`)
	require.Contains(t, price, "Extra artifacts")
	require.Contains(t, price, "EUR")
	require.Contains(t, price, "Agent state left")
	require.Contains(t, price, "&#34;seen&#34;: 3")
	require.Contains(t, body(t, h, "/panel?id=order&attempt=1&step=1"), "the price service does not answer")
	require.Contains(t, body(t, h, "/panel?id=order&attempt=3&step=1"), "Skipped: it was executed in attempt 2 with the same input.")
	require.Contains(t, body(t, h, "/panel?id=order&attempt=3&step=2"), "Ran: since attempt 2 its input changed: artifacts note.")
	require.Contains(t, body(t, h, "/panel?id=panel&step=0.0"), "<h3>Took</h3>")
	require.Contains(t, body(t, h, "/panel?id=order"), "Given to the run")
	require.Equal(t, http.StatusNotFound, get(h, "/panel?id=order&step=9").Code)
}

// TestHostile: names with markup show as text, on every page that any page links to.
func TestHostile(t *testing.T) {
	h := New(filled(t), &Options{Answer: true})
	own := "run?" + url.Values{"id": {sample.Hostile}}.Encode()
	require.Contains(t, hrefs(body(t, h, "/"), "run?"), own)
	todo, seen := []string{"", "waiting", own}, map[string]bool{}
	for len(todo) > 0 {
		target := todo[0]
		if todo = todo[1:]; seen[target] {
			continue
		}
		seen[target] = true
		page := body(t, h, "/"+target)
		if strings.HasPrefix(target, "value?") || strings.HasPrefix(target, "post?") {
			continue // a file
		}
		require.NotContains(t, page, "<script>alert", target)
		require.NotRegexp(t, "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", page, target)
		if strings.HasPrefix(target, "meeting.json?") {
			continue // no page
		}
		require.NotContains(t, page, `"'`+"`", target)
		for _, kind := range []string{"run?", "panel?", "meeting?", "value?", "meeting.json?"} {
			for _, link := range hrefs(page, kind) {
				if strings.Contains(link, url.QueryEscape(sample.Hostile)) {
					todo = append(todo, link)
				}
			}
		}
	}
	require.Greater(t, len(seen), 10)
	for _, target := range []string{own, own + "&step=0", own + "&step=1", "waiting", "?q=alert", "run?attempt=9&" + own[len("run?"):]} {
		require.NotRegexp(t, "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", get(h, "/"+target).Body.String(), target)
	}
	talk := hrefs(body(t, h, "/"+own), "meeting?")[0]
	post := hrefs(body(t, h, "/"+talk), "post?")[0]
	require.NotContains(t, body(t, h, "/"+post+"&n=1&show=1"), "\u202e")
	require.Contains(t, body(t, h, "/"+post+"&n=1"), "\u202e", "a file is as it is")
	file := hrefs(body(t, h, "/"+own+"&step=0"), "value?")[0]
	require.Contains(t, body(t, h, "/"+file), "\u202eevil\u2066", "a file is as it is")
	require.Contains(t, body(t, h, "/"+own), html.EscapeString(diagram.Visible(sample.Hostile)))
}

func TestHeaders(t *testing.T) {
	h := New(filled(t), &Options{Answer: true})
	for _, target := range []string{"/", "/run?id=order", "/waiting", "/run?id=nobody", "/assets/app.js", "/nothing", "/meeting.json?id=panel&step=0"} {
		header := get(h, target).Header()
		require.Equal(t, policy, header.Get("Content-Security-Policy"), target)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), target)
	}
	require.NotContains(t, policy, "unsafe")
	for _, target := range []string{"/", "/run?id=order", "/waiting", "/meeting?id=panel&step=0"} {
		page := body(t, h, target)
		require.NotRegexp(t, `<script[^>]*>[^<]`, page, "a script in the page")
		require.NotRegexp(t, `\s(style|on[a-z]+)=`, page)
		require.NotRegexp(t, `(src|href|action)="(https?:)?//`, page)
	}
}

func TestAssets(t *testing.T) {
	h := New(agentgraph.NewMemStore(), nil)
	require.Contains(t, body(t, h, "/assets/dagre.LICENSE"), "Permission is hereby granted")
	w := get(h, "/assets/app.css")
	require.Equal(t, "text/css; charset=utf-8", w.Header().Get("Content-Type"))
	r := httptest.NewRequest("GET", "/assets/app.css", nil)
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	again := httptest.NewRecorder()
	h.ServeHTTP(again, r)
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Equal(t, http.StatusNotFound, get(h, "/assets/nothing").Code)
	require.Equal(t, http.StatusNotFound, get(h, "/assets/..%2fviewer.go").Code)
}

func TestNoStore(t *testing.T) {
	w := get(New(nil, nil), "/")
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, w.Body.String(), agentgraph.ErrNoStore.Error())
}

// TestBelowAPath: all links stay below the path that the handler is mounted at.
func TestBelowAPath(t *testing.T) {
	h := http.StripPrefix("/agents", New(filled(t), &Options{Answer: true}))
	for _, target := range []string{"/agents/", "/agents/run?id=panel", "/agents/waiting", "/agents/meeting?id=panel&step=0"} {
		require.NotRegexp(t, `(src|href|action)="/`, body(t, h, target))
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 µs", 999 * time.Microsecond: "999 µs", 2 * time.Millisecond: "2 ms", 2300 * time.Microsecond: "2.3 ms",
		45 * time.Second: "45 s", 61 * time.Second: "1 m 01 s", 3 * time.Hour: "3 h 00 m", 72 * time.Hour: "3 days", -1: "",
	} {
		require.Equal(t, want, span(d))
	}
	require.Equal(t, "1 MB", size(1_000_000))
	require.Equal(t, "1.5 kB", size(1500))
}
