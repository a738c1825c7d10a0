package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
	"github.com/seed-a2b66b4f/agentgraph/internal/pgtest"
)

func TestPostgres(t *testing.T) {
	bin, err := pgtest.Programs()
	require.NoError(t, err)
	if bin == "" {
		fmt.Printf("%s is left out: no PostgreSQL\n", t.Name())
		return
	}
	s, err := pgtest.New(bin)
	require.NoError(t, err)
	t.Cleanup(s.Remove)
	require.NoError(t, s.Start())
	named := s.URL("postgres", "postgres") + "&schema=flows&prefix=My%20"
	missing := "is not there; ?schema=NAME&prefix=NAME in the URL names others"
	requireJournals(t, named, named+"2", `"flows"."My schema"`, `"flows"."My 2schema"`, missing)
	store, err := pgstore.Open(context.Background(), s.URL("postgres", "postgres"), &pgstore.Options{Schema: "flows", Prefix: "My ", Existing: true})
	require.NoError(t, err)
	ids, faults := runIDs(context.Background(), store)
	require.NoError(t, store.Close())
	require.Empty(t, faults)
	require.Equal(t, []string{"r"}, ids)

	missing = `no tables of journals: "agentgraph_schema" is not there`
	requireJournals(t, s.URL("postgres", "postgres"), s.URL("postgres", "template1"), "/postgres?", "/template1?", missing)
	requireFails(t, `database "nowhere" does not exist`, "runs", s.URL("postgres", "nowhere"))
}

func TestNATS(t *testing.T) {
	url := startNATS(t, &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT}).ClientURL()
	missing := "there is no such stream"
	requireJournals(t, url, url+"/typo", `"agentgraph"`, `"typo"`, missing)
}

// requireJournals fails unless the whole command works on a server as it does on
// files, and makes nothing there but for an import: not at a URL where nothing is.
func requireJournals(t *testing.T, url, wrong, urlName, wrongName, missing string) {
	t.Helper()
	dir, archive := t.TempDir(), filepath.Join(t.TempDir(), "run")
	require.Zero(t, demo([]string{dir, "r", "build"}))
	code, _, told := call(t, dir, false, "export", "r", "-o", archive)
	require.Zero(t, code, told)

	for range 2 { // the first has made nothing
		requireFails(t, urlName, "runs", url)
		requireFails(t, missing, "runs", url)
		requireFails(t, missing, "show", "r", "--store", url)
		requireFails(t, missing, "doctor", "--salvage", url)
		requireFails(t, missing, "serve", "--addr", "127.0.0.1:0", url)
	}
	code, out, told := call(t, dir, false, "import", archive, "--store", url)
	require.Zero(t, code, told)
	require.Empty(t, out+told)
	requireFails(t, `run "r" is there already`, "import", archive, "--store", url)

	for _, args := range [][]string{{"runs"}, {"show", "r"}, {"explain", "r"}, {"plan", "r"}, {"doctor", "-v"}, {"export", "r"}} {
		wantCode, want, _ := call(t, dir, false, args...)
		code, out, told := call(t, dir, false, append(args, "--store", url)...)
		require.Equal(t, wantCode, code, told)
		require.Equal(t, want, out, args)
	}
	requireServed(t, url)
	requireFails(t, wrongName, "runs", wrong)
	requireFails(t, missing, "runs", wrong)
}

// requireFails fails unless a command does, and says why without a password.
func requireFails(t *testing.T, why string, args ...string) {
	t.Helper()
	code, out, told := call(t, "", false, args...)
	require.Equal(t, 1, code, args)
	require.Empty(t, out)
	require.Contains(t, told, why)
	require.NotContains(t, told, "sekret")
}

// requireServed fails unless the viewer shows the run r.
func requireServed(t *testing.T, url string) {
	t.Helper()
	read, write := io.Pipe()
	var told bytes.Buffer
	a := &app{in: strings.NewReader(""), out: bufio.NewWriter(write), err: &told, getenv: func(string) string { return "" }}
	ctx, interrupt := context.WithCancel(context.Background())
	code := make(chan int)
	go func() { code <- a.run(ctx, []string{"serve", "--addr", "127.0.0.1:0", url}) }()

	address, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	for page, text := range map[string]string{"/": "finished", "/run?id=r": "compile", "/run?id=gone": ""} {
		response, err := http.Get(strings.TrimSpace(address) + page)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, text != "", response.StatusCode == http.StatusOK, page)
		require.Contains(t, string(body), text, page)
	}
	interrupt()
	require.Zero(t, <-code, told.String())
}

// startNATS runs a server on loopback until the test ends, or it is stopped.
func startNATS(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.JetStream, o.NoLog, o.NoSigs = "127.0.0.1", true, true, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { stopNATS(s) })
	require.True(t, s.ReadyForConnections(20*time.Second))
	return s
}

func stopNATS(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// TestServerAway: a server that was away for more tries than nats makes unless told
// is found again.
func TestServerAway(t *testing.T) {
	dir := t.TempDir()
	srv := startNATS(t, &server.Options{StoreDir: dir, Port: server.RANDOM_PORT})
	port := srv.Addr().(*net.TCPAddr).Port
	tries, gaveUp := make(chan struct{}), make(chan struct{})
	nc, err := connect(srv.ClientURL(), nats.ReconnectWait(time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.ReconnectErrHandler(func(*nats.Conn, error) {
			select {
			case tries <- struct{}{}:
			default:
			}
		}), nats.ClosedHandler(func(*nats.Conn) { close(gaveUp) }))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	stopNATS(srv)
	for range 2 * nats.DefaultMaxReconnect {
		select {
		case <-tries:
		case <-gaveUp:
			require.FailNow(t, "it gave up")
		}
	}
	startNATS(t, &server.Options{StoreDir: dir, Port: port})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = natsstore.Open(ctx, nc, nil)
	require.NoError(t, err)
}
