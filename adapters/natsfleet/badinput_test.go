package natsfleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

func TestBadInput(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	nc := connect(t, embedded(t))
	f := fleet(t, nc, natsfleet.Options{}, flow("flow", seven), flow("other", seven))

	require.ErrorIs(t, f.Submit(ctx, "none", "run", nil), natsfleet.ErrNoFlow)
	require.ErrorIs(t, f.Submit(ctx, "flow", "", nil), agentgraph.ErrBadRunID)
	require.ErrorIs(t, f.Submit(ctx, "flow", "a\nb", nil), agentgraph.ErrBadRunID)
	var artifact *agentgraph.ArtifactError
	require.ErrorAs(t, f.Submit(ctx, "flow", "run", map[string]any{"c": make(chan int)}), &artifact)
	require.Equal(t, "c", artifact.Artifact)
	require.ErrorAs(t, f.Submit(ctx, "flow", "run", map[string]any{"a\xff": 1}), &artifact)
	require.ErrorAs(t, f.Submit(ctx, "flow", "run", map[string]any{"a": "\xff"}), &artifact)
	large := map[string]any{"small": 1, "large": strings.Repeat("x", 1<<20)}
	err := f.Submit(ctx, "flow", "run", large)
	require.ErrorIs(t, err, natsfleet.ErrTooLarge)
	require.ErrorContains(t, err, `artifact "large"`)
	_, err = f.Status(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun, "nothing half done")

	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	err = f.Submit(ctx, "other", "run", nil)
	require.ErrorIs(t, err, natsfleet.ErrOtherFlow)
	require.EqualError(t, err, `agentgraph: run "run": run belongs to another flow: "flow"`)

	require.ErrorIs(t, f.Register(flow("flow", seven)), agentgraph.ErrBadName)
	require.ErrorIs(t, f.Register(flow("", seven)), agentgraph.ErrBadName)
	require.ErrorIs(t, f.Register(flow(strings.Repeat("x", 256), seven)), agentgraph.ErrBadName)
	require.ErrorContains(t, f.Register(flow(strings.Repeat(".", 86), seven)), "makes the name of a consumer of 258 bytes, and 255 is the most")
	for _, call := range []func(string) error{
		func(id string) error { _, err := f.Wait(ctx, id); return err },
		func(id string) error { _, err := f.Status(ctx, id); return err },
		func(id string) error { return f.Cancel(ctx, id) },
		func(id string) error { return f.Retry(ctx, id) },
	} {
		require.ErrorIs(t, call(""), agentgraph.ErrBadRunID)
		require.ErrorIs(t, call("none"), agentgraph.ErrNoRun)
	}
	require.ErrorIs(t, f.Answer(ctx, "none", "step", 1), agentgraph.ErrNoQuestion)

	empty := fleet(t, nc, natsfleet.Options{})
	require.ErrorIs(t, empty.Work(ctx, 1), natsfleet.ErrNoFlow)
	for _, name := range []string{"a.b", "a b", "*", "../a"} {
		_, err := natsfleet.Open(ctx, nc, natsfleet.Options{Name: name})
		require.ErrorContains(t, err, "agentgraph: open fleet "+fmt.Sprintf("%q", name))
	}
	_, err = natsfleet.Open(ctx, nil, natsfleet.Options{})
	require.ErrorContains(t, err, "no connection")

	ended, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = f.Wait(ended, "run")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, `run "run"`)
}

// TestNotEnabled: a server without JetStream, wherever the journals are.
func TestNotEnabled(t *testing.T) {
	t.Parallel()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	require.NoError(t, err)
	srv.Start()
	defer srv.Shutdown()
	nc, err := nats.Connect(srv.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	for _, store := range []agentgraph.Store{nil, agentgraph.NewMemStore()} {
		_, err := natsfleet.Open(within(t), nc, natsfleet.Options{Store: store})
		require.ErrorIs(t, err, jetstream.ErrJetStreamNotEnabled)
		require.ErrorContains(t, err, `agentgraph: open fleet "agentgraph": `)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	}
}

// TestNobody: a flow without a body fails, and its worker goes on.
func TestNobody(t *testing.T) {
	t.Parallel()
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, agentgraph.NewResumable("empty", nil, nil), flow("flow", seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(within(t), "empty", "a", nil))
	require.NoError(t, f.Submit(within(t), "flow", "b", nil))
	_, err := f.Wait(within(t), "a")
	require.ErrorIs(t, err, natsfleet.ErrFailed)
	require.ErrorContains(t, err, "no body")
	settled(t, f, "b")
}

// TestTwoFleets share one server, and run IDs, and do not meet.
func TestTwoFleets(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	srv := embedded(t)
	var fleets []*natsfleet.Fleet
	for _, name := range []string{"a", "a-queue"} {
		f := fleet(t, connect(t, srv), natsfleet.Options{Name: name}, flow("flow", func(context.Context) (int, error) { return len(name), nil }))
		require.NoError(t, f.Submit(ctx, "flow", "run", nil))
		fleets = append(fleets, f)
	}
	work(t, fleets[1], 1)
	require.Equal(t, "7", string(settled(t, fleets[1], "run")["result"]))
	require.Equal(t, natsfleet.Queued, status(t, fleets[0], "run", natsfleet.Queued).State)
	work(t, fleets[0], 1)
	require.Equal(t, "1", string(settled(t, fleets[0], "run")["result"]))
}

// TestServerLater: what begins before there is a server waits for it, or until its
// context ends.
func TestServerLater(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	nc, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", port), patient()...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	ended, cancel := context.WithTimeout(within(t), 50*time.Millisecond)
	defer cancel()
	_, err = natsfleet.Open(ended, nc, natsfleet.Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "not connected")

	opened := make(chan *natsfleet.Fleet)
	go func() {
		f, err := natsfleet.Open(within(t), nc, natsfleet.Options{})
		if err != nil {
			f = nil
		}
		opened <- f
	}()
	embedded(t, listening, func(o *server.Options) { o.Port = port })
	f := <-opened
	require.NotNil(t, f)
	require.NoError(t, f.Register(flow("flow", seven)))
	work(t, f, 1)
	require.NoError(t, f.Submit(within(t), "flow", "run", nil))
	settled(t, f, "run")
}

// TestServerAway: a server goes away in the middle of a run, and comes back.
func TestServerAway(t *testing.T) {
	t.Parallel()
	dir, port := filepath.Join(t.TempDir(), "server"), freePort(t)
	serve := func() *natsfleet.Server {
		s, err := natsfleet.Embedded(dir, unsynced, listening, func(o *server.Options) { o.Port = port })
		require.NoError(t, err)
		t.Cleanup(s.Close)
		return s
	}
	srv := serve()
	nc, err := nats.Connect(srv.URL(), patient()...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	began, release := make(chan struct{}, 9), make(chan struct{})
	f := fleet(t, nc, natsfleet.Options{Silence: 2 * time.Second}, flow("flow", func(context.Context) (int, error) {
		began <- struct{}{}
		<-release
		return 7, nil
	}))
	work(t, f, 1)
	require.NoError(t, f.Submit(within(t), "flow", "run", nil))
	<-began
	srv.Close()
	close(release)
	ended, cancel := context.WithTimeout(within(t), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, f.Submit(ended, "flow", "later", nil), context.DeadlineExceeded)
	waited := make(chan error)
	go func() { _, err := f.Wait(within(t), "run"); waited <- err }()
	serve()
	require.NoError(t, <-waited)
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
}

// TestPermissions: what the server refuses is an error that says so, not a wait.
func TestPermissions(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	srv := embedded(t, func(o *server.Options) {
		user := func(name string, deny ...string) *server.User {
			return &server.User{Username: name, Password: "p", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: deny}}}
		}
		o.Users = []*server.User{
			user("all"),
			user("opens", "$JS.API.STREAM.INFO.agentgraph-queue"),
			user("makes", "$JS.API.STREAM.CREATE.new-runs"),
			user("submits", "agentgraph-queue.>"),
			user("works", "$JS.API.CONSUMER.CREATE.>"),
			user("pulls", "$JS.API.CONSUMER.MSG.NEXT.>"),
			user("settles", "agentgraph-runs.>"),
		}
	})
	as := func(name string) *nats.Conn { return connect(t, srv, nats.UserInfo(name, "p")) }
	all := fleet(t, as("all"), natsfleet.Options{}, flow("flow", seven))
	require.NoError(t, all.Submit(ctx, "flow", "run", nil))

	_, err := natsfleet.Open(ctx, as("opens"), natsfleet.Options{})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	_, err = natsfleet.Open(ctx, as("makes"), natsfleet.Options{Name: "new"})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	err = fleet(t, as("submits"), natsfleet.Options{}, flow("flow", seven)).Submit(ctx, "flow", "other", nil)
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
	require.ErrorContains(t, err, `run "other"`)
	for _, name := range []string{"works", "pulls"} {
		err = fleet(t, as(name), natsfleet.Options{}, flow("flow", seven)).Work(ctx, 1)
		require.ErrorIs(t, err, nats.ErrPermissionViolation, name)
		require.ErrorContains(t, err, `agentgraph: work in fleet "agentgraph": `)
	}
	stop := work(t, fleet(t, as("settles"), natsfleet.Options{}, flow("flow", seven)), 1)
	for {
		if s, err := all.Status(ctx, "run"); err != nil || s.Run.Status == agentgraph.RunFinished {
			require.NoError(t, err)
			break
		}
	}
	stop()
	work(t, all, 1) // the run was not given up
	settled(t, all, "run")
}

// TestUnfit: a stream that would lose runs is refused.
func TestUnfit(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	nc := connect(t, embedded(t))
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	make := func(c jetstream.StreamConfig) {
		_, err := js.CreateStream(ctx, c)
		require.NoError(t, err)
	}
	make(jetstream.StreamConfig{Name: "a-queue", Subjects: []string{"a-queue.*.*"}, Discard: jetstream.DiscardNew})
	make(jetstream.StreamConfig{Name: "b-runs", Subjects: []string{"b-runs.*"}, Storage: jetstream.MemoryStorage, Discard: jetstream.DiscardNew})
	make(jetstream.StreamConfig{Name: "c-journal", Subjects: []string{"c-journal.*"}, Storage: jetstream.MemoryStorage})
	make(jetstream.StreamConfig{Name: "d-runs", Subjects: []string{"d-runs.*"}, Discard: jetstream.DiscardNew, AllowDirect: true})
	for name, want := range map[string]error{"a": natsfleet.ErrUnfit, "b": natsfleet.ErrUnfit, "c": natsstore.ErrUnfit, "d": natsfleet.ErrUnfit} {
		_, err := natsfleet.Open(ctx, nc, natsfleet.Options{Name: name})
		require.ErrorIs(t, err, want, name)
	}
	_, err = natsfleet.Open(ctx, nc, natsfleet.Options{Name: "e", Replicas: 3})
	require.Error(t, err)
}

// TestOldServer: one that makes a stream, and knows nothing of atomic publish.
func TestOldServer(t *testing.T) {
	t.Parallel()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	require.NoError(t, err)
	srv.Start()
	t.Cleanup(srv.Shutdown)
	nc, err := nats.Connect(srv.ClientURL(), patient()...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	for call, answer := range map[string]string{
		"INFO": `{"error":{"code":404,"err_code":10059,"description":"stream not found"}}`,
		"CREATE": `{"config":{"name":"agentgraph-journal","description":"Journals of agentgraph, one subject a run",` +
			`"subjects":["agentgraph-journal.*"],"retention":"limits","storage":"file","discard":"new","num_replicas":1,"allow_direct":true}}`,
	} {
		_, err := nc.Subscribe("$JS.API.STREAM."+call+".agentgraph-journal", func(m *nats.Msg) { _ = m.Respond([]byte(answer)) })
		require.NoError(t, err)
	}
	_, err = natsfleet.Open(within(t), nc, natsfleet.Options{})
	require.ErrorIs(t, err, natsstore.ErrOldServer)
	require.ErrorContains(t, err, `agentgraph: open fleet "agentgraph": open stream "agentgraph-journal": server is too old: NATS `)
}

// TestClosed: a worker whose connection is closed says so.
func TestClosed(t *testing.T) {
	t.Parallel()
	nc := connect(t, embedded(t))
	began := make(chan struct{})
	f := fleet(t, nc, natsfleet.Options{}, flow("flow", func(ctx context.Context) (int, error) {
		close(began)
		<-ctx.Done()
		return 0, ctx.Err()
	}))
	done := make(chan error)
	go func() { done <- f.Work(within(t), 2) }()
	require.NoError(t, f.Submit(within(t), "flow", "run", nil))
	<-began
	nc.Close()
	require.ErrorIs(t, <-done, nats.ErrConnectionClosed)
	require.ErrorIs(t, f.Submit(within(t), "flow", "run", nil), nats.ErrConnectionClosed)
}

// TestEmbedded: a directory or a port that cannot be used is an error.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := natsfleet.Embedded(file)
	require.ErrorContains(t, err, "agentgraph: embedded NATS server: ")

	dir := t.TempDir()
	s, err := natsfleet.Embedded(dir, unsynced, listening)
	require.NoError(t, err)
	_, err = natsfleet.Embedded(dir)
	require.ErrorContains(t, err, dir+" is in use")
	port, err := strconv.Atoi(s.URL()[strings.LastIndexByte(s.URL(), ':')+1:])
	require.NoError(t, err)
	_, err = natsfleet.Embedded(t.TempDir(), listening, func(o *server.Options) { o.Port = port })
	require.ErrorContains(t, err, fmt.Sprintf("127.0.0.1:%d", port))

	nc := connect(t, s)
	f := fleet(t, nc, natsfleet.Options{}, flow("flow", seven))
	require.NoError(t, f.Submit(within(t), "flow", "run", nil))
	s.Close()
	s, err = natsfleet.Embedded(dir)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	f = fleet(t, connect(t, s), natsfleet.Options{}, flow("flow", seven))
	work(t, f, 1)
	settled(t, f, "run")
}
