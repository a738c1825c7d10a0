package viewer

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// asked is a request for a host that came in on an address.
func asked(method, target, host, local string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	r.Host = host
	if local == "" {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, address(local)))
}

// address is a [net.Addr] of any listener.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

// TestHosts: a name that somebody made mean this machine gets nothing.
func TestHosts(t *testing.T) {
	const near, far = "127.0.0.1:8080", "192.0.2.7:8080"
	for _, c := range []struct {
		host, local string
		names       []string
		admitted    bool
	}{
		{"evil.example:8080", near, nil, false},
		{"evil.example", "[::1]:8080", nil, false},
		{"evil.example", "[::ffff:127.0.0.1]:8080", nil, false},
		{"evil.example", "0.0.0.0:8080", nil, false},
		{"127.0.0.1.evil.example", near, nil, false},
		{"localhost.evil.example", near, nil, false},
		{"evillocalhost", near, nil, false},
		{".localhost", near, nil, false},
		{"", near, nil, false},
		{"localhost:8080", near, nil, true},
		{"LocalHost.", near, nil, true},
		{"agents.localhost:8080", near, nil, true},
		{"127.0.0.1:8080", near, nil, true},
		{"127.9.9.9", near, nil, true},
		{"[::1]:8080", "[::1]:8080", nil, true},
		{"[::1]", "[::1]:8080", nil, true},
		{"192.0.2.7:8080", near, nil, true}, // a port that is passed on
		{"agents.example", far, nil, true},
		{"agents.example", "", nil, true},
		{"agents.example", "@", nil, true},

		{"agents.example:443", near, []string{"Agents.Example"}, true},
		{"agents.example", near, []string{"agents.example:8080"}, true},
		{"evil.example", near, []string{"agents.example"}, false},
		{"evil.example", far, []string{"agents.example"}, false},
		{"evil.example", "", []string{"agents.example"}, false},
		{"localhost", near, []string{"agents.example"}, true},
		{"a.agents.example", near, []string{"*.agents.example"}, true},
		{"agents.example", near, []string{"*.agents.example"}, false},
		{"evilagents.example", near, []string{"*agents.example"}, false},
		{"any.example", near, []string{"*"}, true},
		{"", near, []string{""}, false},
	} {
		w := httptest.NewRecorder()
		New(agentgraph.NewMemStore(), &Options{Hosts: c.names}).ServeHTTP(w, asked("GET", "/", c.host, c.local))
		require.Equal(t, c.admitted, w.Code == http.StatusOK, "%q at %q with %q", c.host, c.local, c.names)
	}
}

// TestHostsEverywhere: there is no page, file or form for a name that is not known,
// and the answer says what to do.
func TestHostsEverywhere(t *testing.T) {
	h := New(filled(t), &Options{Answer: true})
	for _, target := range []string{"/", "/run?id=order", "/panel?id=order", "/meeting?id=panel&step=0", "/meeting.json?id=panel&step=0", "/value?id=order&of=in&name=customer", "/waiting", "/events", "/assets/app.js"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, asked("GET", target, "evil.example", "127.0.0.1:80"))
		require.Equal(t, http.StatusForbidden, w.Code, target)
		require.Contains(t, w.Body.String(), `"evil.example"`)
		require.Contains(t, w.Body.String(), "Options.Hosts")
		require.Equal(t, policy, w.Header().Get("Content-Security-Policy"))
	}
}

// TestRebinding: through a real server, a script of another page that has the token
// and says that it is of this origin answers nothing.
func TestRebinding(t *testing.T) {
	store := filled(t)
	h := New(store, &Options{Answer: true})
	server := httptest.NewServer(h)
	defer server.Close()
	values := form(t, h, "approval")
	values.Set("answer", "yes")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	require.NoError(t, err)
	post := func(host string) int {
		r, err := http.NewRequest("POST", server.URL+"/waiting", strings.NewReader(values.Encode()))
		require.NoError(t, err)
		r.Host = host
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("X-Forwarded-Host", "localhost")
		answer, err := http.DefaultTransport.RoundTrip(r)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	require.Equal(t, http.StatusForbidden, post("evil.example:"+port))
	require.Len(t, questions(t, store, "approval"), 1)
	require.Equal(t, http.StatusSeeOther, post("localhost:"+port))
	require.Empty(t, questions(t, store, "approval"))
}

// TestHostsAreCopied: what the caller does with the list afterwards changes nothing.
func TestHostsAreCopied(t *testing.T) {
	names := []string{"agents.example"}
	h := New(agentgraph.NewMemStore(), &Options{Hosts: names})
	names[0] = "*"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, asked("GET", "/", "evil.example", "127.0.0.1:80"))
	require.Equal(t, http.StatusForbidden, w.Code)
}
