package natsfleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is a NATS server inside the process.
type Server struct {
	server *server.Server
	lock   *os.File
}

// Embedded starts a NATS server with JetStream inside the process, which keeps what
// it holds in a directory, so that one program on one machine needs nothing else.
// The same program that connects to a cluster instead is a fleet of many.
//
// It syncs each write to the disk before it acknowledges it, listens nowhere and
// logs nothing; functions may change that, and all else, before it starts. To let
// other processes in, set Host, Port and DontListen; whoever reaches the port can
// do everything, if no users are set.
//
// A directory that another one uses is an error where there is flock (Linux, macOS,
// BSD); elsewhere two would damage each other's data.
func Embedded(dir string, change ...func(*server.Options)) (*Server, error) {
	s, err := embedded(dir, change)
	if err != nil {
		return nil, fmt.Errorf("%sembedded NATS server: %w", prefix, err)
	}
	return s, nil
}

func embedded(dir string, change []func(*server.Options)) (*Server, error) {
	file, err := locked(dir)
	if err != nil {
		return nil, err
	}
	s, err := started(dir, change)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Server{s, file}, nil
}

func locked(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("%s is in use: %w", dir, err)
	}
	return file, nil
}

func started(dir string, change []func(*server.Options)) (*server.Server, error) {
	o := &server.Options{
		ServerName: "embedded", Host: "127.0.0.1", Port: server.RANDOM_PORT, DontListen: true,
		JetStream: true, StoreDir: dir, SyncAlways: true, NoLog: true, NoSigs: true,
	}
	for _, c := range change {
		c(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	if !o.NoLog {
		s.ConfigureLogger()
	}
	s.Start()
	listens := o.DontListen || s.Addr() != nil
	if !listens || !s.JetStreamEnabled() || !s.ReadyForConnections(startTime) {
		stop(s)
		return nil, fmt.Errorf("it does not start with directory %s, address %s:%d", o.StoreDir, o.Host, o.Port)
	}
	return s, nil
}

const startTime = 10 * time.Second

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
func (s *Server) Close() {
	stop(s.server)
	_ = s.lock.Close()
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}
