package natsfleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

const childVariable = "NATSFLEET_CHILD"

// child is what a process is to be that a test starts: a server, or a worker.
type child struct {
	Server *member
	Worker *workerChild
}

// workerChild works on the flows of the tests.
type workerChild struct {
	URLs    string
	Options natsfleet.Options
	Log     string // file to which the steps write
	AtOnce  int
}

// TestMain is a server or a worker instead of the tests in a process that is
// started as one. It ends with the process that started it.
func TestMain(tests *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(tests.Run())
	}
	var c child
	err := json.Unmarshal([]byte(text), &c)
	switch {
	case err != nil:
	case c.Server != nil:
		err = c.Server.run()
	default:
		err = c.Worker.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// orphaned ends with the process that started this one, or wants it to stop.
func orphaned() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	return ctx
}

func (m *member) run() error {
	s, err := server.NewServer(m.options())
	if err != nil {
		return err
	}
	s.Start()
	<-orphaned().Done()
	return nil
}

func (w *workerChild) run() error {
	ctx := orphaned()
	nc, err := nats.Connect(w.URLs, patient()...)
	if err != nil {
		return err
	}
	f, err := natsfleet.Open(ctx, nc, w.Options)
	if err != nil {
		return err
	}
	if err := register(f, &diary{file: w.Log, store: f.Store()}); err != nil {
		return err
	}
	return f.Work(ctx, w.AtOnce)
}

func patient() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.RetryOnFailedConnect(true), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
}

// process is a child, which can be killed and started again.
type process struct {
	name  string
	child child
	cmd   *exec.Cmd
	stdin io.Closer
}

func (p *process) start(tb testing.TB) {
	tb.Helper()
	text, err := json.Marshal(p.child)
	require.NoError(tb, err)
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(tb, err)
	require.NoError(tb, p.cmd.Start())
}

// kill ends it with SIGKILL.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.stdin.Close()
}

// stop lets it end by itself.
func (p *process) stop() error {
	_ = p.stdin.Close()
	return p.cmd.Wait()
}

// member is one server of a cluster.
type member struct {
	Name, Dir     string
	Port, Cluster int
	Routes        []int
}

func (m member) options() *server.Options {
	o := &server.Options{
		ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: m.Dir, JetStreamMaxStore: 1 << 30,
		Cluster: server.ClusterOpts{Name: "cluster", Host: "127.0.0.1", Port: m.Cluster},
	}
	for _, port := range m.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	return o
}

// cluster starts three servers, each in a process of its own.
func cluster(tb testing.TB) (servers []*process, urls string) {
	tb.Helper()
	free := ports(tb, 6)
	var all []string
	for i := range 3 {
		m := &member{fmt.Sprintf("server-%d", i), tb.TempDir(), free[3+i], free[i], free[:3]}
		p := &process{name: m.Name, child: child{Server: m}}
		p.start(tb)
		tb.Cleanup(func() { p.kill() })
		servers = append(servers, p)
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", m.Port))
	}
	return servers, strings.Join(all, ",")
}

// workers starts processes that work.
func workers(tb testing.TB, n int, w workerChild) []*process {
	tb.Helper()
	var all []*process
	for i := range n {
		p := &process{name: fmt.Sprintf("worker-%d", i), child: child{Worker: &w}}
		p.start(tb)
		tb.Cleanup(func() { p.kill() })
		all = append(all, p)
	}
	return all
}

// ports are free ones.
func ports(tb testing.TB, n int) []int {
	tb.Helper()
	var list []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(tb, err)
		defer l.Close()
		list = append(list, l.Addr().(*net.TCPAddr).Port)
	}
	return list
}
