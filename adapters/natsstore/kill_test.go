package natsstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

const childVariable = "NATSSTORE_SERVER"

// TestMain is a server instead of the tests in a process that is started as one. It
// ends with the process that started it.
func TestMain(tests *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(tests.Run())
	}
	var m member
	err := json.Unmarshal([]byte(text), &m)
	if err == nil {
		var s *server.Server
		if s, err = server.NewServer(m.options()); err == nil {
			s.Start()
			_, err = io.Copy(io.Discard, os.Stdin)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// process is a server in a process of its own.
type process struct {
	member member
	cmd    *exec.Cmd
	stdin  io.Closer
}

func (p *process) start(t *testing.T) {
	text, err := json.Marshal(p.member)
	require.NoError(t, err)
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
}

// kill ends it with SIGKILL.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.stdin.Close()
}

// TestKill: while four owners append, the leader of the stream is killed and another
// steps down. Nothing acknowledged is lost or there twice, and no owner who is alone
// hears of a conflict.
func TestKill(t *testing.T) {
	t.Parallel()
	servers, urls := map[string]*process{}, ""
	for _, m := range members(t) {
		p := &process{member: m}
		p.start(t)
		t.Cleanup(p.kill)
		servers[m.Name] = p
		urls += fmt.Sprintf("nats://127.0.0.1:%d,", m.Port)
	}
	nc := connect(t, urls[:len(urls)-1])
	s := open(t, nc, &natsstore.Options{Replicas: 3})
	s.Hurry()

	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	owners := make([]*owner, 4)
	var all sync.WaitGroup
	for i := range owners {
		owners[i] = &owner{store: s, run: fmt.Sprintf("run-%d", i)}
		all.Go(func() { owners[i].work(ctx, i == 3) })
	}
	someMore(t, owners)
	dead := servers[leader(t, nc)]
	dead.kill()
	someMore(t, owners)
	dead.start(t)
	someMore(t, owners)
	_, err := nc.RequestWithContext(within(t), "$JS.API.STREAM.LEADER.STEPDOWN.agentgraph", nil)
	require.NoError(t, err)
	someMore(t, owners)
	for _, o := range owners {
		o.enough.Store(true)
	}
	all.Wait()
	for _, o := range owners {
		require.NoError(t, o.err)
		s.Forget()
		require.Equal(t, o.done, read(t, s, o.run, 0))
	}
}

// owner appends to a run, and notes what was acknowledged.
type owner struct {
	store  *natsstore.Store
	run    string
	count  atomic.Int64
	enough atomic.Bool
	done   []string
	err    error
}

func (o *owner) work(ctx context.Context, pieces bool) {
	for !o.enough.Load() && o.err == nil {
		text := fmt.Sprint(len(o.done))
		if pieces {
			text = large(1<<20 + len(o.done))
		}
		if o.err = o.store.Append(ctx, o.run, uint64(len(o.done)), record(text)); o.err == nil {
			o.done = append(o.done, text)
			o.count.Add(1)
		}
		if pieces && len(o.done) > 40 {
			return
		}
	}
}

// someMore waits until each owner that works has appended a few more.
func someMore(t *testing.T, owners []*owner) {
	ctx := within(t)
	for _, o := range owners[:3] {
		for target := o.count.Load() + 5; o.count.Load() < target; {
			require.NoError(t, ctx.Err())
			pause()
		}
	}
}

// leader is the server that leads the stream.
func leader(t *testing.T, nc *nats.Conn) string {
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	stream, err := js.Stream(within(t), "agentgraph")
	require.NoError(t, err)
	return stream.CachedInfo().Cluster.Leader
}
