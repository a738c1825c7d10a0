package chaostest

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

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

func (m *member) run() error {
	s, err := server.NewServer(m.options())
	if err != nil {
		return err
	}
	s.Start()
	<-orphaned().Done()
	return nil
}

// cluster starts three servers, each in a process of its own.
func cluster(tb testing.TB) (servers []victim, urls string) {
	tb.Helper()
	free := ports(tb, 6)
	var all []string
	for i := range 3 {
		m := &member{fmt.Sprintf("server-%d", i), tb.TempDir(), free[3+i], free[i], free[:3]}
		servers = append(servers, newProcess(tb, child{Server: m}))
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", m.Port))
	}
	return servers, strings.Join(all, ",")
}

// embedded is one server in this process, which lets others in.
func embedded(tb testing.TB) *natsfleet.Server {
	tb.Helper()
	s, err := natsfleet.Embedded(tb.TempDir(), func(o *server.Options) { o.SyncAlways, o.DontListen = false, false })
	require.NoError(tb, err)
	tb.Cleanup(s.Close)
	return s
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
