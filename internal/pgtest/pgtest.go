// Package pgtest runs PostgreSQL servers for tests, of the programs that are on the
// machine.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Server is a PostgreSQL of a test's own: a fresh cluster in a directory that goes
// away, with the settings that a server has by default, reached by a unix socket.
// It is for one goroutine at a time.
type Server struct {
	Dir string // of the socket, and of all that it keeps

	bin  string
	user *user.User    // runs it; nil for us
	cmd  *exec.Cmd     // nil while it does not run
	gone chan struct{} // closed when cmd has ended
}

const port = 5432 // names the socket

// New makes a server of the programs in a directory; it does not run yet.
func New(bin string) (*Server, error) {
	s, err := Empty(bin)
	if err != nil {
		return nil, err
	}
	out, err := s.Command("initdb", "-D", s.Data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions").CombinedOutput()
	if err != nil {
		s.Remove()
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, nil
}

// Empty is a server without a cluster: whoever calls it fills [Server.Data]. Its
// directory is owned by whoever runs it: never root, which PostgreSQL refuses.
func Empty(bin string) (*Server, error) {
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, Dir: dir}
	if os.Geteuid() != 0 {
		return s, nil
	}
	if s.user, err = user.Lookup("postgres"); err != nil {
		return nil, err
	}
	uid, gid, err := ids(s.user)
	if err != nil {
		return nil, err
	}
	return s, os.Chown(dir, uid, gid)
}

func ids(u *user.User) (uid, gid int, err error) {
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

// Bin is where its programs are.
func (s *Server) Bin() string { return s.bin }

// Data is where its cluster is.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// Command is one of its programs, to be run by whoever runs the server.
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	cmd.Dir = s.Dir
	if s.user != nil {
		runAs(cmd, s.user)
	}
	return cmd
}

// URL is that of a database, with a password that no error may show.
func (s *Server) URL(role, database string) string {
	return fmt.Sprintf("postgres://%s:sekret@/%s?host=%s&port=%d", role, database, s.Dir, port)
}

// Start returns when the server takes connections. A server that was killed leaves
// others of its processes for a moment, and until they are gone no new one starts.
func (s *Server) Start() error {
	for deadline := time.Now().Add(time.Minute); ; {
		err := s.start(deadline)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *Server) start(deadline time.Time) error {
	log, err := os.Create(filepath.Join(s.Dir, "log"))
	if err != nil {
		return err
	}
	cmd := s.Command("postgres", "-D", s.Data(), "-k", s.Dir, "-c", "listen_addresses=", "-p", strconv.Itoa(port))
	cmd.Stdout, cmd.Stderr = log, log
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return err
	}
	s.cmd, s.gone = cmd, make(chan struct{})
	go func(gone chan struct{}) {
		defer close(gone)
		_ = cmd.Wait()
	}(s.gone)
	return s.ready(log.Name(), deadline)
}

// ready waits until the server's log says so.
func (s *Server) ready(log string, deadline time.Time) error {
	for {
		text, err := os.ReadFile(log)
		if err == nil && strings.Contains(string(text), "database system is ready to accept") {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
			if time.Now().Before(deadline) {
				continue
			}
		case <-s.gone:
		}
		s.Kill()
		return fmt.Errorf("PostgreSQL does not start: %s", text)
	}
}

// Kill is a SIGKILL to the server; its other processes notice and go.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		s.ended()
	}
}

// Stop ends it in a mode of pg_ctl: smart, fast or immediate. The last is what a
// crash is, but that the clients are told.
func (s *Server) Stop(mode string) {
	if s.cmd != nil {
		_ = s.Command("pg_ctl", "-D", s.Data(), "-m", mode, "stop").Run()
		s.ended()
	}
}

func (s *Server) ended() {
	<-s.gone
	s.cmd = nil
}

// Remove stops the server, and deletes all that it has.
func (s *Server) Remove() {
	s.Stop("immediate")
	for range 100 { // what was killed may still write
		if os.RemoveAll(s.Dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
