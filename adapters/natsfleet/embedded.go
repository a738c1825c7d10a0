package natsfleet

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is a NATS server inside the process.
type Server struct{ server *server.Server }

// Embedded starts a NATS server with JetStream inside the process, which keeps what
// it holds in a directory, so that one program on one machine needs nothing else.
// The same program that connects to a cluster instead is a fleet of many.
//
// It syncs each write to the disk before it acknowledges it, listens nowhere and
// logs nothing; functions may change that, and all else, before it starts. To let
// other processes in, set Host, Port and DontListen; whoever reaches the port can
// do everything, if no users are set.
func Embedded(dir string, change ...func(*server.Options)) (*Server, error) {
	o := &server.Options{
		ServerName: "embedded", Host: "127.0.0.1", Port: server.RANDOM_PORT, DontListen: true,
		JetStream: true, StoreDir: dir, SyncAlways: true, NoLog: true, NoSigs: true,
	}
	for _, c := range change {
		c(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("%sembedded NATS server: %w", prefix, err)
	}
	if o.LogFile != "" || !o.NoLog {
		s.ConfigureLogger()
	}
	s.Start()
	if !s.ReadyForConnections(startTime) || !s.JetStreamEnabled() {
		stop(s)
		return nil, errors.New(prefix + "embedded NATS server: it does not start; is the directory in use, or not to be written?")
	}
	return &Server{s}, nil
}

const startTime = 20 * time.Second

// Connect returns a connection that does not leave the process.
func (s *Server) Connect(o ...nats.Option) (*nats.Conn, error) {
	nc, err := nats.Connect("", append([]nats.Option{nats.InProcessServer(s.server), nats.MaxReconnects(-1)}, o...)...)
	if err != nil {
		return nil, fmt.Errorf("%sembedded NATS server: %w", prefix, err)
	}
	return nc, nil
}

// URL is where other processes connect, if it listens.
func (s *Server) URL() string { return s.server.ClientURL() }

// Close stops the server. What it has acknowledged stays in the directory.
func (s *Server) Close() { stop(s.server) }

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}
