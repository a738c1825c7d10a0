// Package pgstore keeps journals in PostgreSQL (13 or newer), so that a run can
// go on on another machine:
//
//	store, err := pgstore.Open(ctx, "postgres://app@db.example.com/app", nil)
//
// There are three tables, which Open makes. agentgraph_runs has a row for each run: the
// random life that tells this journal from a later one of the same ID.
// agentgraph_records has the records of each life. agentgraph_schema says which form
// of the tables this is.
//
// An append is one statement and one round trip. It inserts records behind the last
// one that it expects, which it locks so that nobody deletes it meanwhile; the primary
// key of the records is what lets one of several writers through. There are no clocks
// and no leases.
//
// What is acknowledged is as durable as a commit of that server: fsync and
// full_page_writes must be on, as they are unless someone turned them off, and
// synchronous_commit not off. Open checks the last of these alone. Whether a standby
// has it too when the first server is lost is what synchronous_standby_names says.
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/recent"
)

const prefix = "agentgraph: "

// Options say which tables a store has. The zero value is ready. Stores with other
// tables know nothing of each other.
type Options struct {
	Schema   string // that the tables are in, made where there is none; default the first of the search path
	Prefix   string // of the tables' names; default agentgraph_
	Existing bool   // where there are no tables Open makes none, and returns [ErrNoTables]
}

// Store is an [agentgraph.Store] in a PostgreSQL database. It is safe for concurrent
// use. No call holds a connection while the body of a loop runs.
type Store struct {
	pool  *pgxpool.Pool
	own   bool   // the pool is ours to close
	where string // the server, without a password
	sql   *statements

	// lives is which life of a journal this Store last knew. It fences an owner whose
	// journal another Store deleted and began anew, to the same length.
	lives  recent.Map[pgtype.UUID]
	closed atomic.Bool
}

var _ agentgraph.Store = (*Store)(nil)

// ErrNoTables: [Options.Existing] is set, and the database has no such tables.
var ErrNoTables = errors.New("no tables of journals")

// Open connects to the database of a PostgreSQL URL or keyword string, and makes or
// migrates the tables where that is due; any number of processes may do so at once.
// Tables that are up to date need no right to make any. The settings of
// [pgxpool.ParseConfig], such as pool_max_conns, may be in the URL.
//
// It does not wait for a server that is not there: that is an error, as are a server
// too old, a database that is not in UTF-8, synchronous_commit = off, and tables of a
// newer form. Errors do not show the password. The caller closes the store.
func Open(ctx context.Context, url string, o *Options) (*Store, error) {
	if strayed(url) {
		return nil, fmt.Errorf("%sopen PostgreSQL store: the URL cannot be used: / and @ in a user or password must be %%2F and %%40", prefix)
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%sopen PostgreSQL store: the URL cannot be used: %s", prefix, reason(err))
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%sopen PostgreSQL store: %w", prefix, err)
	}
	s, err := New(ctx, pool, o)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.own = true
	return s, nil
}

// reason is what is wrong with a URL, without the URL, in which a password could
// stand anywhere.
func reason(err error) string {
	var parse *pgconn.ParseConfigError
	text := err.Error()
	if i := strings.LastIndex(text, "`: "); errors.As(err, &parse) && i >= 0 {
		return text[i+len("`: "):]
	}
	return "it is no PostgreSQL URL"
}

// strayed is whether a URL has an @ in its path or inside a host: then a slash or an @
// in the password has ended that too early, and the rest of it would be shown as the
// database or the host.
func strayed(url string) bool {
	scheme, rest, _ := strings.Cut(url, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return false // a keyword string
	}
	rest, _, _ = strings.Cut(rest, "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if _, after, ok := strings.Cut(hosts, "@"); ok {
		hosts = after
	}
	within := func(host string) bool { return strings.LastIndexByte(host, '@') > 0 } // at 0 it is an abstract socket
	return strings.Contains(path, "@") || slices.ContainsFunc(strings.Split(hosts, ","), within)
}

// New is [Open] on a pool that there is already, and that the caller closes.
func New(ctx context.Context, pool *pgxpool.Pool, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	sql, err := statementsOf(*o)
	if err != nil {
		return nil, fmt.Errorf("%sopen PostgreSQL store: %w", prefix, err)
	}
	s := &Store{pool: pool, where: whereOf(pool.Config().ConnConfig), sql: sql}
	if err := s.setUp(ctx, o.Existing); err != nil {
		return nil, fmt.Errorf("%sopen PostgreSQL store: %w", prefix, s.fault(ctx, err))
	}
	return s, nil
}

func (s *Store) setUp(ctx context.Context, existing bool) error {
	if err := checkServer(ctx, s.pool); err != nil {
		return err
	}
	return migrate(ctx, s.pool, s.sql, existing)
}

// Close gives back the connections that Open made, after the calls under way. Any
// later call is [fs.ErrClosed]. Close may be called again.
func (s *Store) Close() error {
	if s.closed.Swap(true) || !s.own {
		return nil
	}
	s.pool.Close()
	return nil
}

var errClosed = fmt.Errorf("the store is closed: %w", fs.ErrClosed)

// begin says whether a call about a run may be made at all.
func (s *Store) begin(ctx context.Context, runID string) error {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return err
	}
	if err := s.usable(ctx); err != nil {
		return runError(runID, err)
	}
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}

func runError(runID string, err error) error {
	return fmt.Errorf("%srun %q: %w", prefix, runID, err)
}
