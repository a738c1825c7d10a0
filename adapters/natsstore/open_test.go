package natsstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// TestOpenAtOnce: ten make the stream, and all have the same.
func TestOpenAtOnce(t *testing.T) {
	srv := start(t, options(t))
	var all sync.WaitGroup
	errs := make([]error, 10)
	stores := make([]*natsstore.Store, 10)
	for i := range errs {
		nc := connect(t, srv.ClientURL())
		all.Go(func() { stores[i], errs[i] = natsstore.Open(within(t), nc, nil) })
	}
	all.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.NoError(t, stores[i].Append(within(t), "run", uint64(i), record("1")))
	}
}

func TestOpenBad(t *testing.T) {
	ctx := within(t)
	_, err := natsstore.Open(ctx, nil, nil)
	require.EqualError(t, err, `agentgraph: open stream "agentgraph": no connection`)
	nc := connect(t, start(t, options(t)).ClientURL())
	for _, name := range []string{"a.b", "a b", "*", "a>", "a/b", `a\b`, "a\n"} {
		_, err = natsstore.Open(ctx, nc, &natsstore.Options{Stream: name})
		require.EqualError(t, err, fmt.Sprintf(`agentgraph: open stream %q: a stream's name has no blank, dot, slash or wildcard`, name))
	}
	_, err = natsstore.Open(ctx, nc, &natsstore.Options{Replicas: 3})
	require.EqualError(t, err, `agentgraph: open stream "agentgraph": nats: API error: code=500 err_code=10074 description=replicas > 1 not supported in non-clustered mode`)
	nc.Close()
	_, err = natsstore.Open(ctx, nc, nil)
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
}

// TestExisting: who asks for a stream that is there makes none.
func TestExisting(t *testing.T) {
	ctx, nc := within(t), connect(t, start(t, options(t)).ClientURL())
	o := &natsstore.Options{Stream: "typo", Existing: true}
	_, err := natsstore.Open(ctx, nc, o)
	require.ErrorIs(t, err, natsstore.ErrNoStream)
	require.EqualError(t, err, `agentgraph: open stream "typo": there is no such stream`)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	_, err = js.Stream(ctx, "typo")
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)

	require.NoError(t, open(t, nc, &natsstore.Options{Stream: "typo"}).Append(ctx, "run", 0, record("1")))
	require.Equal(t, []string{"1"}, read(t, open(t, nc, o), "run", 0))
}

// TestUnfit: a stream that is there is not changed, and not used where it loses what
// it is given.
func TestUnfit(t *testing.T) {
	for fault, change := range map[string]func(c *jetstream.StreamConfig){
		"its subjects lack agentgraph.*":       func(c *jetstream.StreamConfig) { c.Subjects = []string{"agentgraph.a"} },
		"it is kept in memory":                 func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"it drops what was consumed":           func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy },
		"it drops what is old when it is full": func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"it drops what is old":                 func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"it acknowledges nothing":              func(c *jetstream.StreamConfig) { c.NoAck, c.AllowAtomicPublish = true, true },
		"nothing can be deleted from it":       func(c *jetstream.StreamConfig) { c.DenyPurge = true },
		"it renames subjects": func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "agentgraph.a", Destination: "agentgraph.b"}
		},
		"it has 1 replicas of 3": func(*jetstream.StreamConfig) {},
		"it must allow direct and atomic, and persist by default": func(c *jetstream.StreamConfig) {
			c.PersistMode, c.AllowAtomicPublish = jetstream.AsyncPersistMode, false
		},
		"a message may have 1024 bytes, and needs more than 1024": func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1024 },
	} {
		t.Run(fault, func(t *testing.T) {
			ctx, nc := within(t), connect(t, start(t, options(t)).ClientURL())
			js, err := jetstream.New(nc)
			require.NoError(t, err)
			c := jetstream.StreamConfig{
				Name: "agentgraph", Subjects: []string{"agentgraph.*"}, Discard: jetstream.DiscardNew,
				AllowDirect: true, AllowAtomicPublish: true,
			}
			change(&c)
			_, err = js.CreateStream(ctx, c)
			require.NoError(t, err)
			o := natsstore.Options{}
			if fault == "it has 1 replicas of 3" {
				o.Replicas = 3
			}
			_, err = natsstore.Open(ctx, nc, &o)
			require.ErrorIs(t, err, natsstore.ErrUnfit)
			require.EqualError(t, err, `agentgraph: open stream "agentgraph": stream is not fit for journals: `+fault)
		})
	}
}

// TestNotEnabled: a server without JetStream, and an account without it.
func TestNotEnabled(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.JetStream = false
	_, err := natsstore.Open(within(t), connect(t, start(t, o).ClientURL()), nil)
	require.ErrorIs(t, err, jetstream.ErrJetStreamNotEnabled)
	require.ErrorContains(t, err, `agentgraph: open stream "agentgraph": `)

	o = options(t)
	one, other := server.NewAccount("one"), server.NewAccount("other")
	o.Accounts = []*server.Account{one, other}
	o.Users = []*server.User{{Username: "other", Password: "other", Account: other}}
	srv := start(t, o)
	_, err = natsstore.Open(within(t), connect(t, srv.ClientURL(), nats.UserInfo("other", "other")), nil)
	require.ErrorIs(t, err, jetstream.ErrJetStreamNotEnabled)
}

// TestDownAtStart: Open waits for a server, until the context ends.
func TestDownAtStart(t *testing.T) {
	o := options(t)
	o.Port = ports(t, 1)[0]
	nc := connect(t, fmt.Sprintf("nats://127.0.0.1:%d", o.Port))
	ctx, cancel := context.WithTimeout(within(t), 50*time.Millisecond)
	defer cancel()
	_, err := natsstore.Open(ctx, nc, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, `agentgraph: open stream "agentgraph": context deadline exceeded: not connected`)

	opened := make(chan error)
	go func() {
		s, err := natsstore.Open(within(t), nc, nil)
		if err == nil {
			err = s.Append(within(t), "run", 0, record("1"))
		}
		opened <- err
	}()
	start(t, o)
	require.NoError(t, <-opened)
}

// TestAway: while the server is away calls wait, and their contexts end them; then
// all goes on.
func TestAway(t *testing.T) {
	o := options(t)
	o.Port = ports(t, 1)[0]
	srv := start(t, o)
	nc, ctx := connect(t, srv.ClientURL()), within(t)
	s := open(t, nc, nil)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	stop(srv)
	for nc.IsConnected() { // what it is given until it knows, it would send later
		pause()
	}

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Append(short, "run", 1, record("2")), context.DeadlineExceeded)
	require.ErrorIs(t, s.Delete(short, "run"), context.DeadlineExceeded)
	_, err := collect(short, s, "run", 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, err = range s.Runs(short) {
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)

	appended := make(chan error)
	go func() { appended <- s.Append(ctx, "run", 1, record("2")) }()
	start(t, o)
	require.NoError(t, <-appended)
	require.Equal(t, []string{"1", "2"}, read(t, s, "run", 0))
}

// TestForbidden: what the server does not let the client ask is an error, and no
// wait.
func TestForbidden(t *testing.T) {
	t.Parallel()
	o := options(t)
	deny := func(subjects ...string) *server.Permissions {
		return &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{">"}, Deny: subjects}}
	}
	o.Users = []*server.User{
		{Username: "all", Password: "x"},
		{Username: "no create", Password: "x", Permissions: deny("$JS.API.STREAM.CREATE.>")},
		{Username: "no publish", Password: "x", Permissions: deny("agentgraph.>")},
		{Username: "no purge", Password: "x", Permissions: deny("$JS.API.STREAM.PURGE.>")},
		{Username: "no direct", Password: "x", Permissions: deny("$JS.API.DIRECT.>")},
		{Username: "no get", Password: "x", Permissions: deny("$JS.API.STREAM.MSG.>")},
	}
	srv, ctx := start(t, o), within(t)
	as := func(user string) *nats.Conn { return connect(t, srv.ClientURL(), nats.UserInfo(user, "x")) }
	forbidden := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, nats.ErrPermissionViolation)
		require.Regexp(t, "^agentgraph: (run|open)", err.Error())
	}
	_, err := natsstore.Open(ctx, as("no create"), nil)
	forbidden(err)
	require.NoError(t, open(t, as("all"), nil).Append(ctx, "run", 0, record("1")))
	hurried := func(user string) *natsstore.Store {
		s := open(t, as(user), nil)
		s.Hurry()
		return s
	}
	forbidden(hurried("no publish").Append(ctx, "other", 0, record("1")))
	forbidden(hurried("no purge").Delete(ctx, "run"))
	_, err = collect(ctx, hurried("no direct"), "run", 0)
	forbidden(err)
	forbidden(hurried("no get").Append(ctx, "run", 1, record("1")))
	require.Equal(t, []string{"1"}, read(t, hurried("no create"), "run", 0))
}

// TestFull: a stream that is full refuses, and keeps what it has.
func TestFull(t *testing.T) {
	nc := connect(t, start(t, options(t)).ClientURL())
	s, ctx := open(t, nc, &natsstore.Options{MaxBytes: 100 << 10}), within(t)
	text := large(30 << 10)
	for i := range uint64(3) {
		require.NoError(t, s.Append(ctx, "run", i, record(text)))
	}
	err := s.Append(ctx, "run", 3, record(text))
	require.EqualError(t, err, `agentgraph: run "run": nats: API error: code=503 err_code=10077 description=maximum bytes exceeded`)
	require.Equal(t, []string{text, text, text}, read(t, s, "run", 0))
	require.NoError(t, s.Append(ctx, "other", 0, record("1")))
	require.NoError(t, s.Delete(ctx, "run"))
	require.NoError(t, s.Append(ctx, "run", 0, record(text)))
}

// TestStreamGone: somebody has deleted the stream.
func TestStreamGone(t *testing.T) {
	s, nc, _ := alone(t)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	ctx := within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	require.NoError(t, js.DeleteStream(ctx, "agentgraph"))
	for _, err := range []error{
		s.Append(ctx, "run", 1, record("1")), s.Append(ctx, "other", 0, record("1")),
		s.Append(ctx, "other", 3, record("1")), s.Delete(ctx, "run"),
	} {
		require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
	}
	_, err = collect(ctx, s, "run", 0)
	require.ErrorIs(t, err, jetstream.ErrStreamNotFound)
}

// TestSync: only the system account can tell whether a server syncs.
func TestSync(t *testing.T) {
	for _, always := range []bool{true, false} {
		t.Run(fmt.Sprint(always), func(t *testing.T) {
			o := options(t)
			o.SyncAlways = always
			system, journals := server.NewAccount("SYS"), server.NewAccount("journals")
			o.Accounts, o.SystemAccount = []*server.Account{system, journals}, "SYS"
			o.Users = []*server.User{
				{Username: "system", Password: "x", Account: system}, {Username: "journals", Password: "x", Account: journals},
			}
			srv := start(t, o)
			account, err := srv.LookupAccount("journals")
			require.NoError(t, err)
			require.NoError(t, account.EnableJetStream(nil, nil))
			nc := connect(t, srv.ClientURL(), nats.UserInfo("journals", "x"))
			ctx := within(t)

			_, err = natsstore.Open(ctx, nc, &natsstore.Options{Sync: true})
			require.ErrorIs(t, err, natsstore.ErrNotSynced)
			_, err = natsstore.Open(ctx, nc, &natsstore.Options{Sync: true, System: nc})
			require.ErrorIs(t, err, natsstore.ErrNotSynced)
			require.ErrorContains(t, err, "the connection is not to the system account")

			sys := connect(t, srv.ClientURL(), nats.UserInfo("system", "x"))
			s, err := natsstore.Open(ctx, nc, &natsstore.Options{Sync: true, System: sys})
			if !always {
				require.Nil(t, s)
				require.ErrorIs(t, err, natsstore.ErrNotSynced)
				require.EqualError(t, err, `agentgraph: open stream "agentgraph": server is not seen to sync what it acknowledges: alone has no sync_interval: always`)
				return
			}
			require.NoError(t, err)
			require.NoError(t, s.Append(ctx, "run", 0, record("1")))
		})
	}
}
