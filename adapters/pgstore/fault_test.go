package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
	"github.com/seed-a2b66b4f/agentgraph/internal/pgtest"
)

// newTestServer is a server that a test may do with as it likes.
func newTestServer(t *testing.T) *server {
	s, err := newServer(shared.Bin())
	require.NoError(t, err)
	t.Cleanup(s.Remove)
	return s
}

// TestDownAndBack: a server that is down at the start is an error and no wait; one
// that went away and came back serves the store that was open.
func TestDownAndBack(t *testing.T) {
	if left(t) {
		return
	}
	ctx, server := context.Background(), newTestServer(t)
	_, err := pgstore.Open(ctx, server.url("postgres"), nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: postgres://postgres@/postgres?host="+server.Dir+"&port=5432: ")
	require.ErrorIs(t, err, os.ErrNotExist, "the socket")

	require.NoError(t, server.Start())
	s := openURL(t, server.url("postgres"), nil)
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	server.Stop("immediate") // one that is killed may answer for a moment
	err = s.Append(ctx, "run", 1, note(1))
	requireError(t, err, `agentgraph: run "run": postgres://postgres@/postgres?host=`+server.Dir+"&port=5432: ")
	require.NotErrorIs(t, err, agentgraph.ErrConflict)
	_, err = collect(s, "run", 0)
	requireError(t, err, `agentgraph: run "run": postgres://`)
	requireError(t, s.Delete(ctx, "run"), `agentgraph: run "run": postgres://`)
	for _, err := range s.Runs(ctx) {
		requireError(t, err, "agentgraph: runs: postgres://")
	}

	require.NoError(t, server.Start())
	requireNotes(t, s, "run", 1)
	require.NoError(t, s.Append(ctx, "run", 1, note(1)))
}

// requireError fails unless the error begins so, has the prefix once, and does not
// have the password.
func requireError(t *testing.T, err error, begin string) {
	t.Helper()
	require.Error(t, err)
	require.True(t, strings.HasPrefix(err.Error(), begin), "%v", err)
	require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), "%v", err)
	require.NotContains(t, err.Error(), "sekret")
}

// TestKilled kills the server at random while several append, again and again: what
// was acknowledged is there, in its place, and nothing is there in part.
func TestKilled(t *testing.T) {
	if left(t) {
		return
	}
	const writers, size = 4, 3
	kills := 5
	if testing.Short() {
		kills = 2
	}
	ctx, server := context.Background(), newTestServer(t)
	require.NoError(t, server.Start())
	s := openURL(t, server.url("postgres"), nil)
	done := make([]int, writers)
	for kill := range kills {
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for s.Append(ctx, fmt.Sprint(w), uint64(done[w]), notes(done[w], size)...) == nil {
					done[w] += size
				}
			})
		}
		time.Sleep(time.Duration(50+kill*37) * time.Millisecond)
		server.Kill()
		all.Wait()
		require.NoError(t, server.Start())
		for w := range writers {
			got, err := collect(s, fmt.Sprint(w), 0)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(got), done[w], "an acknowledged record is lost")
			require.LessOrEqual(t, len(got), done[w]+size)
			requireNoGap(t, got, nil)
			done[w] = len(got)
		}
	}
	require.Positive(t, done[0])
}

// TestCut ends the context of appends at all moments: all of the records are there or
// none, and the next append of the same owner settles which.
func TestCut(t *testing.T) {
	if left(t) {
		return
	}
	const size = 3
	s, done, cut := open(t), 0, 0
	for i := range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*20)*time.Microsecond)
		err := s.Append(ctx, "run", uint64(done), notes(done, size)...)
		cancel()
		if err == nil {
			done += size
			continue
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cut++
		err = s.Append(context.Background(), "run", uint64(done), notes(done, size)...)
		if err != nil {
			require.ErrorIs(t, err, agentgraph.ErrConflict, "the other has arrived")
		}
		done += size
		got, err := collect(s, "run", 0)
		requireNoGap(t, got, err)
		require.Len(t, got, done)
	}
	require.Positive(t, cut)
}

// TestWaitingForOther: an append that waits for another's transaction ends with its
// context, and leaves nothing.
func TestWaitingForOther(t *testing.T) {
	if left(t) {
		return
	}
	ctx, tables := context.Background(), fmt.Sprintf("t%d_", made.Add(1))
	s := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	conn, err := pgx.Connect(ctx, shared.url("postgres"))
	require.NoError(t, err)
	defer conn.Close(ctx)
	tx, err := conn.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "SELECT FROM "+tables+"records FOR UPDATE")
	require.NoError(t, err)

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	err = s.Append(short, "run", 1, note(1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireError(t, err, `agentgraph: run "run": postgres://`)
	require.NoError(t, tx.Rollback(ctx))
}

func TestRefused(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), newDatabase(t, shared)
	role := fmt.Sprintf("role%d", made.Add(1))
	require.NoError(t, shared.exec(database, "CREATE ROLE "+role+" LOGIN PASSWORD 'sekret'"))
	url := shared.URL(role, database)
	_, err := pgstore.Open(ctx, url, nil)
	requireRefused(t, err, "42501", "open PostgreSQL store: postgres://"+role+"@/"+database, "the role may not do this: make the tables")
	_, err = pgstore.Open(ctx, url, &pgstore.Options{Schema: "new"})
	requireRefused(t, err, "42501", "open PostgreSQL store: ", "the role may not do this: make the tables")
	_, err = pgstore.Open(ctx, shared.url(database)+"&default_transaction_read_only=on", nil)
	requireRefused(t, err, "25006", "open PostgreSQL store: ", "it takes no writes, being a standby or read-only: make the tables")

	whole := openURL(t, shared.url(database), nil)
	require.NoError(t, whole.Append(ctx, "run", 0, note(0)))
	_, err = pgstore.Open(ctx, url, nil)
	requireRefused(t, err, "42501", "open PostgreSQL store: ", "the role may not do this: ")
	require.NoError(t, shared.exec(database, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role))
	s := openURL(t, url, nil)
	requireNotes(t, s, "run", 1)
	requireRefused(t, s.Append(ctx, "run", 1, note(1)), "42501", `run "run": `, "the role may not do this: ")
	requireRefused(t, s.Append(ctx, "new", 0, note(1)), "42501", `run "new": `, "the role may not do this: ")
	requireRefused(t, s.Delete(ctx, "run"), "42501", `run "run": `, "the role may not do this: ")

	s = openURL(t, shared.url(database)+"&default_transaction_read_only=on", nil)
	requireNotes(t, s, "run", 1)
	requireRefused(t, s.Append(ctx, "run", 1, note(1)), "25006", `run "run": `, "it takes no writes, being a standby or read-only: ")
	requireRefused(t, s.Delete(ctx, "run"), "25006", `run "run": `, "it takes no writes, being a standby or read-only: ")

	require.NoError(t, shared.exec(database, "DROP TABLE agentgraph_records"))
	requireRefused(t, whole.Append(ctx, "run", 1, note(1)), "42P01", `run "run": `, "the tables are gone, or not in the search path: ")
	require.NoError(t, shared.exec(database, "UPDATE agentgraph_schema SET form = 1000"))
	_, err = pgstore.Open(ctx, shared.url(database), nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: ")
	require.ErrorContains(t, err, `"agentgraph_schema" says form 1000, made by a newer version of this package, which knows up to 2`)
}

// requireRefused fails unless the server refused with that SQLSTATE, and the error
// begins and goes on so.
func requireRefused(t *testing.T, err error, code, begin, reason string) {
	t.Helper()
	requireError(t, err, "agentgraph: "+begin)
	require.ErrorContains(t, err, reason)
	var pg *pgconn.PgError
	require.ErrorAs(t, err, &pg)
	require.Equal(t, code, pg.Code)
}

// TestStandby reads on a real one, where nothing can be written.
func TestStandby(t *testing.T) {
	if left(t) {
		return
	}
	ctx, first := context.Background(), newTestServer(t)
	require.NoError(t, first.Start())
	s := openURL(t, first.url("postgres"), nil)
	require.NoError(t, s.Append(ctx, "run", 0, notes(0, 2)...))

	empty, err := pgtest.Empty(first.Bin())
	require.NoError(t, err)
	second := &server{empty}
	t.Cleanup(second.Remove)
	out, err := second.Command("pg_basebackup", "-h", first.Dir, "-U", "postgres", "-D", second.Data(), "-R", "-X", "stream", "-c", "fast").CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(second.Data(), "standby.signal"))
	require.NoError(t, second.Start())

	standby := openURL(t, second.url("postgres"), nil)
	requireNotes(t, standby, "run", 2)
	requireRefused(t, standby.Append(ctx, "run", 2, note(2)), "25006", `run "run": `, "it takes no writes, being a standby or read-only: ")
	require.NoError(t, s.Append(ctx, "run", 2, note(2)))
	require.Eventually(t, func() bool { got, err := collect(standby, "run", 0); return err == nil && len(got) == 3 }, time.Minute, 10*time.Millisecond)
}

func TestUnfitServer(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	_, err := pgstore.Open(ctx, shared.url("postgres")+"&synchronous_commit=off", nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: postgres://")
	require.ErrorContains(t, err, "synchronous_commit is off")

	name := fmt.Sprintf("test%d", made.Add(1))
	require.NoError(t, shared.exec("postgres", "CREATE DATABASE "+name+" ENCODING 'LATIN1' TEMPLATE template0"))
	_, err = pgstore.Open(ctx, shared.url(name), nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: postgres://")
	require.ErrorContains(t, err, "the database has the encoding LATIN1, and run IDs need UTF8")

	_, err = pgstore.Open(ctx, shared.url("nowhere"), nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: postgres://")
	var pg *pgconn.PgError
	require.ErrorAs(t, err, &pg)
	require.Equal(t, "3D000", pg.Code)
}

// TestBadOpen needs no server.
func TestBadOpen(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	for _, url := range []string{
		"mysql://user:sekret@host/db", "postgres://user:sekret@host:port/db", "postgres://user:se:sekret@host/db", "sekret", "http://sekret",
		"postgres://user:/sekret@host/db", "postgres://user:%zzsekret@host/db", "postgres://user:sekret@host/db?sslmode=never", "password=sekret sslmode=x",
		"postgres://user:sekret@host/db?pool_max_conns=none", "postgres://user:sekret@[::1/db", "user=x password='sekret",
		"postgres://user:sekret@127.0.0.1:1/db", "postgres://user:sekret@[::1]:1/db", "host=127.0.0.1 port=1 password=sekret", "",
	} {
		_, err := pgstore.Open(ctx, url, nil)
		requireError(t, err, "agentgraph: open PostgreSQL store: ")
	}
	_, err := pgstore.Open(ctx, "postgres://user:/sekret@host/db", nil)
	require.EqualError(t, err, "agentgraph: open PostgreSQL store: the URL cannot be used: / and @ in a user or password must be %2F and %40")
	_, err = pgstore.Open(ctx, "postgres://user:sekret@host/db?sslmode=never", nil)
	require.EqualError(t, err, "agentgraph: open PostgreSQL store: the URL cannot be used: failed to configure TLS (sslmode is invalid)")
	for text, o := range map[string]pgstore.Options{
		"is longer than 63 bytes": {Prefix: strings.Repeat("x", 57)},
		`the schema "a\x00b"`:     {Schema: "a\x00b"},
		`the table "\xffrecords"`: {Prefix: "\xff"},
	} {
		_, err := pgstore.Open(ctx, "postgres://user:sekret@127.0.0.1:1/db", &o)
		requireError(t, err, "agentgraph: open PostgreSQL store: the name of ")
		require.ErrorContains(t, err, text)
	}
	_, err = pgstore.Open(ctx, "postgres://user:sekret@127.0.0.1:1/db", nil)
	requireError(t, err, "agentgraph: open PostgreSQL store: postgres://user@127.0.0.1:1/db: ")
	var dial *pgconn.ConnectError
	require.True(t, errors.As(err, &dial))
}

// TestOneLine: what is wrong with each of several addresses is said once, on one line.
// It needs no server.
func TestOneLine(t *testing.T) {
	ctx := context.Background()
	refused := func(address string) string {
		return address + " (127.0.0.1): dial error: dial tcp " + address + ": connect: connection refused"
	}
	for hosts, tried := range map[string]string{
		"127.0.0.1:1":             refused("127.0.0.1:1"),
		"127.0.0.1:1,127.0.0.1:2": refused("127.0.0.1:1") + "; " + refused("127.0.0.1:2"),
	} {
		_, err := pgstore.Open(ctx, "postgres://user:sekret@"+hosts+"/db", nil)
		require.EqualError(t, err, "agentgraph: open PostgreSQL store: postgres://user@127.0.0.1:1/db: failed to connect to `user=user database=db`: "+tried)
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		var connect *pgconn.ConnectError
		require.ErrorAs(t, err, &connect)
	}
}

// TestStrayed: a password that ends too early is shown neither as a host nor as a
// database. It needs no server.
func TestStrayed(t *testing.T) {
	const strayed = "agentgraph: open PostgreSQL store: the URL cannot be used: / and @ in a user or password must be %2F and %40"
	for _, url := range []string{
		"postgres://user:a/sekret@host/db", "postgres://user:1/sekret@host/db", "postgres://user:a@sekret@host/db",
		"postgres://user:a@sekret@host", "postgres://user:a@b,sekret@host/db?x=y", "postgres://user:a@b/sekret@host/db",
	} {
		_, err := pgstore.Open(context.Background(), url, nil)
		require.EqualError(t, err, strayed, url)
	}
	for _, url := range []string{
		"postgres://user:sekret@127.0.0.1:1/a%40b", "postgres://127.0.0.1:1/db?user=a@b", "postgres://127.0.0.1:1/db?password=/sekret@x",
		"postgres://user:sekret?@127.0.0.1:1/db", "postgres://user@@nowhere,127.0.0.1:1/db", "host=127.0.0.1 port=1 password=://a@sekret@b/@",
	} {
		_, err := pgstore.Open(context.Background(), url, nil)
		requireError(t, err, "agentgraph: open PostgreSQL store: ")
		var connect *pgconn.ConnectError
		require.ErrorAs(t, err, &connect, url)
	}
}
