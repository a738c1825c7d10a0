package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

const streamHint = "; a URL names one as nats://HOST/STREAM, and a fleet's is NAME-journal"

// TestStreamsTold: who names no stream that is there, or one that is not of journals,
// is told which are.
func TestStreamsTold(t *testing.T) {
	url := startNATS(t, &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT}).ClientURL()
	nc, err := connect(url)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	for _, c := range []jetstream.StreamConfig{
		{Name: "orders-runs", Subjects: []string{"orders-runs.*"}, Discard: jetstream.DiscardNew},
		{Name: "old", Subjects: []string{"old.*"}, AllowAtomicPublish: true, AllowDirect: true}, // drops what is old
		{Name: "else", Subjects: []string{"elsewhere.*"}, AllowAtomicPublish: true, AllowDirect: true, Discard: jetstream.DiscardNew},
	} {
		_, err := js.CreateStream(context.Background(), c)
		require.NoError(t, err)
	}
	missing := "agentgraph: open stream \"agentgraph\": there is no such stream" + streamHint
	requireTold(t, missing+"\n", url)

	openStream(t, url, "orders-journal")
	openStream(t, url, "a")
	requireTold(t, missing+"; there are: a, orders-journal\n", url)
	requireTold(t, "agentgraph: open stream \"orders-runs\": stream is not fit for journals: it must allow direct and atomic, and persist by default"+
		streamHint+"; there are: a, orders-journal\n", url+"/orders-runs")
	requireTold(t, "agentgraph: open stream \"x/y\": a stream's name has no blank, dot, slash or wildcard\n", url+"/x/y")

	names := []string{"a"}
	for i := range 9 {
		names = append(names, fmt.Sprint("b", i))
		openStream(t, url, names[i+1])
	}
	requireTold(t, missing+"; there are: "+strings.Join(names, ", ")+", …\n", url)
	openStream(t, url, "agentgraph")
	code, _, told := call(t, "", false, "runs", url)
	require.Zero(t, code, told)
}

// TestStreamsSecret: who may not list the streams is told the rest.
func TestStreamsSecret(t *testing.T) {
	may := &server.SubjectPermission{Allow: []string{"$JS.API.STREAM.INFO.*"}}
	s := startNATS(t, &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT, Users: []*server.User{
		{Username: "u", Password: "sekret", Permissions: &server.Permissions{Publish: may}},
	}})
	url := strings.Replace(s.ClientURL(), "//", "//u:sekret@", 1)
	requireTold(t, "agentgraph: open stream \"agentgraph\": there is no such stream"+streamHint+"\n", url)
}

// TestRefused: a server without JetStream, and one that wants to know who it is.
func TestRefused(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, ServerName: "plain", NoLog: true, NoSigs: true})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { stopNATS(s) })
	require.True(t, s.ReadyForConnections(20*time.Second))
	requireTold(t, "agentgraph: open stream \"agentgraph\": nats: API error: code=503 err_code=10076 description=jetstream not enabled: "+
		"nobody answers for it at plain; a nats-server has JetStream with -js\n", s.ClientURL())

	url := startNATS(t, &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT, Username: "u", Password: "sekret"}).ClientURL()
	host := strings.TrimPrefix(url, "nats://")
	requireTold(t, "agentgraph: open NATS store at nats://"+host+": nats: Authorization Violation; nats://USER:PASSWORD@HOST says who you are\n", "nats://"+host)
	requireTold(t, "agentgraph: open NATS store at nats://v:xxxxx@"+host+": nats: Authorization Violation\n", "nats://v:sekret@"+host)
}

// TestQuiet: nats itself writes nothing to standard error.
func TestQuiet(t *testing.T) {
	nc, err := connect(startNATS(t, &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT}).ClientURL())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	path, old := filepath.Join(t.TempDir(), "stderr"), os.Stderr
	f, err := os.Create(path)
	require.NoError(t, err)
	os.Stderr = f
	nc.ErrorHandler()(nc, nil, errors.New("sekret"))
	os.Stderr = old
	require.NoError(t, f.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, string(text))
}

// openStream makes a stream of journals.
func openStream(t *testing.T, url, name string) {
	t.Helper()
	nc, err := connect(url)
	require.NoError(t, err)
	defer nc.Close()
	_, err = natsstore.Open(context.Background(), nc, &natsstore.Options{Stream: name})
	require.NoError(t, err)
}

// requireTold fails unless the runs of a store cannot be listed, for that reason.
func requireTold(t *testing.T, why, url string) {
	t.Helper()
	code, out, told := call(t, "", false, "runs", url)
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Equal(t, why, told)
}
