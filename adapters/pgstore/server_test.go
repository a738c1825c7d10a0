package pgstore_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
	"github.com/seed-a2b66b4f/agentgraph/internal/pgtest"
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
	bin, err := pgtest.Programs()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if bin == "" {
		fmt.Fprintln(os.Stderr, "PostgreSQL (initdb, postgres) is not on this machine: whatever needs a server is left out")
		return m.Run()
	}
	s, err := newServer(bin)
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start PostgreSQL:", err)
		return 1
	}
	defer s.Remove()
	shared = s
	return m.Run()
}

// server is a PostgreSQL of the tests' own.
type server struct{ *pgtest.Server }

func newServer(bin string) (*server, error) {
	s, err := pgtest.New(bin)
	return &server{s}, err
}

func (s *server) url(database string) string { return s.URL("postgres", database) }

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
		fmt.Fprintf(os.Stderr, "%s is left out: no PostgreSQL\n", tb.Name())
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
