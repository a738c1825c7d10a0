package pgstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// shared is the server that most tests use, each with tables or a database of its own.
var shared *server

var made atomic.Int64 // things with a name of their own

// TestMain starts the server, or is a child process when it is told what to do.
func TestMain(m *testing.M) {
	if url := os.Getenv("PGSTORE_CHILD"); url != "" {
		if err := child(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	bin := serverPrograms()
	if bin == "" && os.Getenv("CI") != "" {
		fmt.Fprintln(os.Stderr, "PostgreSQL (initdb, postgres) is not on this machine, and CI must have it")
		return 1
	}
	if bin == "" {
		fmt.Println("PostgreSQL (initdb, postgres) is not on this machine: whatever needs a server is left out")
		return m.Run()
	}
	s, err := newServer(bin)
	if err == nil {
		err = s.start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start PostgreSQL:", err)
		return 1
	}
	defer s.remove()
	shared = s
	return m.Run()
}

// serverPrograms is where initdb and postgres are, the newest of them.
func serverPrograms() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/usr/pgsql-*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb"} {
		paths, _ := filepath.Glob(pattern)
		found = append(found, paths...)
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

// server is a PostgreSQL of the tests' own: a fresh cluster in a directory that goes
// away, with the settings that a server has by default, reached by a unix socket.
type server struct {
	bin, dir string
	port     int
	user     *user.User // runs it; nil for us
	cmd      *exec.Cmd
}

func newServer(bin string) (*server, error) {
	s, err := emptyServer(bin)
	if err != nil {
		return nil, err
	}
	out, err := s.command("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions").CombinedOutput()
	if err != nil {
		s.remove()
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, nil
}

// emptyServer has a directory, owned by whoever runs it: never root, which PostgreSQL
// refuses.
func emptyServer(bin string) (*server, error) {
	dir, err := os.MkdirTemp("", "pgstore")
	if err != nil {
		return nil, err
	}
	s := &server{bin: bin, dir: dir, port: 5432}
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

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	if s.user != nil {
		runAs(cmd, s.user)
	}
	return cmd
}

// start returns when the server takes connections. A server that was killed leaves
// others of its processes for a moment, and until they are gone no new one starts.
func (s *server) start() error {
	for deadline := time.Now().Add(60 * time.Second); ; {
		err := s.tryStart()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *server) tryStart() error {
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-p", strconv.Itoa(s.port))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	for range 600 {
		err = s.exec("postgres", "SELECT 1")
		if err == nil {
			return nil
		}
		if _, gone := os.Stat(filepath.Join(s.data(), "postmaster.pid")); errors.Is(gone, os.ErrNotExist) && cmd.ProcessState == nil {
			time.Sleep(20 * time.Millisecond) // not begun, or given up
		}
		if s.gaveUp() {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.kill()
	text, _ := os.ReadFile(log.Name())
	return fmt.Errorf("%w\n%s", err, text)
}

// gaveUp looks into the log, for a process that has not been waited for seems alive.
func (s *server) gaveUp() bool {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return strings.Contains(string(text), "lock file \"postmaster.pid\" already exists") ||
		strings.Contains(string(text), "pre-existing shared memory block") ||
		strings.Contains(string(text), "database system is shut down")
}

// kill is a SIGKILL to the server; its other processes notice and go.
func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

func (s *server) remove() {
	if s.cmd != nil {
		_ = s.command("pg_ctl", "-D", s.data(), "-m", "immediate", "-w", "stop").Run()
		_ = s.cmd.Wait()
	}
	for range 100 { // what was killed may still write
		if os.RemoveAll(s.dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *server) url(database string) string { return s.urlOf("postgres", database) }

func (s *server) urlOf(role, database string) string {
	return fmt.Sprintf("postgres://%s:sekret@/%s?host=%s&port=%d", role, database, s.dir, s.port)
}

func (s *server) exec(database, sql string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, s.url(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return err
}

// left says that a test is left out where there is no server.
func left(tb testing.TB) bool {
	if shared == nil {
		fmt.Printf("%s is left out: no PostgreSQL\n", tb.Name())
	}
	return shared == nil
}

// newDatabase returns the name of an empty one.
func newDatabase(tb testing.TB, s *server) string {
	name := fmt.Sprintf("test%d", made.Add(1))
	require.NoError(tb, s.exec("postgres", "CREATE DATABASE "+name))
	return name
}

// open opens a store with tables of its own.
func open(tb testing.TB) *pgstore.Store {
	return openURL(tb, shared.url("postgres"), &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))})
}

func openURL(tb testing.TB, url string, o *pgstore.Options) *pgstore.Store {
	s, err := pgstore.Open(context.Background(), url, o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

func note(i int) agentgraph.Record {
	return agentgraph.Record{Kind: "note", Data: fmt.Appendf(nil, `{"n":%d}`, i)}
}

func notes(from, n int) []agentgraph.Record {
	list := make([]agentgraph.Record, n)
	for i := range list {
		list[i] = note(from + i)
	}
	return list
}

func collect(s agentgraph.Store, run string, after uint64) ([]agentgraph.Record, error) {
	var list []agentgraph.Record
	for r, err := range s.Read(context.Background(), run, after) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// requireNotes fails unless the journal is n notes from 0 on.
func requireNotes(tb testing.TB, s agentgraph.Store, run string, n int) {
	tb.Helper()
	got, err := collect(s, run, 0)
	require.NoError(tb, err)
	require.Len(tb, got, n)
	for i, r := range got {
		require.EqualValues(tb, i+1, r.Seq)
		require.Equal(tb, fmt.Sprintf(`{"n":%d}`, i), string(r.Data))
	}
}
