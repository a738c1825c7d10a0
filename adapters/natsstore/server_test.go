package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// options of a server on loopback with JetStream in a directory of its own.
func options(tb testing.TB) *server.Options {
	return &server.Options{
		ServerName: "alone", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: tb.TempDir(),
	}
}

// start runs servers until the test ends, unless they are stopped before.
func start(tb testing.TB, o *server.Options) *server.Server {
	tb.Helper()
	s := launch(tb, o)
	ready(tb, s)
	return s
}

func launch(tb testing.TB, o *server.Options) *server.Server {
	tb.Helper()
	s, err := server.NewServer(o)
	require.NoError(tb, err)
	s.Start()
	tb.Cleanup(func() { stop(s) })
	return s
}

func ready(tb testing.TB, s *server.Server) {
	tb.Helper()
	require.True(tb, s.ReadyForConnections(20*time.Second))
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
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

// member is one server of a cluster.
type member struct {
	Name, Dir     string
	Port, Cluster int
	Routes        []int
}

// members are three servers that know each other.
func members(tb testing.TB) []member {
	tb.Helper()
	free := ports(tb, 6)
	var all []member
	for i := range 3 {
		all = append(all, member{fmt.Sprintf("server-%d", i), tb.TempDir(), free[3+i], free[i], free[:3]})
	}
	return all
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

// cluster runs three servers.
func cluster(tb testing.TB) []*server.Server {
	tb.Helper()
	var servers []*server.Server
	for _, m := range members(tb) {
		servers = append(servers, launch(tb, m.options()))
	}
	for _, s := range servers {
		ready(tb, s)
	}
	return servers
}

// connect is a connection that never gives up.
func connect(tb testing.TB, urls string, more ...nats.Option) *nats.Conn {
	tb.Helper()
	nc, err := nats.Connect(urls, append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(10 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.RetryOnFailedConnect(true), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}, more...)...)
	require.NoError(tb, err)
	tb.Cleanup(nc.Close)
	return nc
}

// within is a context that ends a test which would hang.
func within(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func open(tb testing.TB, nc *nats.Conn, o *natsstore.Options) *natsstore.Store {
	tb.Helper()
	s, err := natsstore.Open(within(tb), nc, o)
	require.NoError(tb, err)
	return s
}

// alone is a store on a server of its own.
func alone(tb testing.TB) (*natsstore.Store, *nats.Conn, *server.Server) {
	tb.Helper()
	srv := start(tb, options(tb))
	nc := connect(tb, srv.ClientURL())
	return open(tb, nc, nil), nc, srv
}

func record(data string) agentgraph.Record {
	return agentgraph.Record{Kind: "kind", Data: []byte(data)}
}

// read is the data of a journal.
func read(tb testing.TB, s agentgraph.Store, runID string, after uint64) []string {
	tb.Helper()
	list, err := collect(within(tb), s, runID, after)
	require.NoError(tb, err)
	return list
}

func collect(ctx context.Context, s agentgraph.Store, runID string, after uint64) ([]string, error) {
	var list []string
	for r, err := range s.Read(ctx, runID, after) {
		if err != nil {
			return list, err
		}
		if after++; r.Seq != after {
			return list, errors.New("Seq has a gap")
		}
		list = append(list, string(r.Data))
	}
	return list, nil
}

// pause lets others work.
func pause() { time.Sleep(time.Millisecond) }
