package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

func TestStore(t *testing.T) {
	if left(t) {
		return
	}
	storetest.Run(t, func(t *testing.T) agentgraph.Store { return open(t) })
}

// TestStricterIsolation: the losers of a race are told so, not that the server took
// their statement back.
func TestStricterIsolation(t *testing.T) {
	if left(t) {
		return
	}
	for _, level := range []string{"repeatable%20read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) agentgraph.Store {
				url := shared.url("postgres") + "&default_transaction_isolation=" + level
				return openURL(t, url, &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))})
			})
		})
	}
}

// TestOneConnection: a loop over Read or Runs holds none, so that its body can use the
// store however small the pool; and the simplest protocol will do, as it must behind
// some poolers.
func TestOneConnection(t *testing.T) {
	if left(t) {
		return
	}
	storetest.Run(t, func(t *testing.T) agentgraph.Store {
		url := shared.url("postgres") + "&pool_max_conns=1&default_query_exec_mode=simple_protocol"
		return openURL(t, url, &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))})
	})
}

func TestZeroOptions(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	url := shared.url(newDatabase(t, shared))
	openURL(t, url, nil)
	s := openURL(t, url, &pgstore.Options{})
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	other := openURL(t, url, &pgstore.Options{Schema: `odd "schema"`, Prefix: `Odd "prefix"; `})
	requireNotes(t, other, "run", 0)
	require.NoError(t, other.Append(ctx, "run", 0, notes(0, 2)...))
	requireNotes(t, s, "run", 1)
	requireNotes(t, openURL(t, url, &pgstore.Options{Schema: "public", Prefix: "agentgraph_"}), "run", 1)
}

// TestExisting: who asks for tables that are there makes none, nor a schema.
func TestExisting(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), newDatabase(t, shared)
	url := shared.url(database)
	for schema, table := range map[string]string{"": `"agentgraph_schema"`, "typo": `"typo"."agentgraph_schema"`} {
		_, err := pgstore.Open(ctx, url, &pgstore.Options{Schema: schema, Existing: true})
		require.ErrorIs(t, err, pgstore.ErrNoTables)
		require.Regexp(t, `^agentgraph: open PostgreSQL store: postgres://.*: no tables of journals: `+table+` is not there$`, err.Error())
	}
	require.NoError(t, shared.exec(database, `CREATE SCHEMA typo; DROP SCHEMA typo; CREATE TABLE agentgraph_schema (); DROP TABLE agentgraph_schema`))

	require.NoError(t, openURL(t, url, nil).Append(ctx, "run", 0, note(0)))
	requireNotes(t, openURL(t, url, &pgstore.Options{Existing: true}), "run", 1)
}

// TestRoundTrips: an append is one, to a journal that the store knows.
func TestRoundTrips(t *testing.T) {
	if left(t) {
		return
	}
	ctx, o := context.Background(), &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	began, count := openCounted(t, o)
	read, countRead := openCounted(t, o)
	neither, countNeither := openCounted(t, o)

	count.Store(0)
	require.NoError(t, began.Append(ctx, "run", 0, note(0)))
	require.EqualValues(t, 1, count.Load())
	require.NoError(t, began.Append(ctx, "run", 1, notes(1, 100)...))
	require.EqualValues(t, 2, count.Load())

	requireNotes(t, read, "run", 101)
	countRead.Store(0)
	require.NoError(t, read.Append(ctx, "run", 101, note(101)))
	require.EqualValues(t, 1, countRead.Load())

	countNeither.Store(0)
	require.NoError(t, neither.Append(ctx, "run", 102, note(102)))
	require.EqualValues(t, 2, countNeither.Load())
	require.NoError(t, neither.Append(ctx, "run", 103, note(103)))
	require.EqualValues(t, 3, countNeither.Load())
	require.ErrorIs(t, neither.Append(ctx, "run", 103, note(103)), agentgraph.ErrConflict)
	require.EqualValues(t, 5, countNeither.Load())
}

// TestLateStart: to begin a journal that is there already writes none of its records.
func TestLateStart(t *testing.T) {
	if left(t) {
		return
	}
	ctx, tables := context.Background(), fmt.Sprintf("t%d_", made.Add(1))
	s, pool := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables}), newPool(t, shared.url("postgres"))
	size := func() (bytes int) {
		require.NoError(t, pool.QueryRow(ctx, "SELECT pg_relation_size($1)", tables+"records").Scan(&bytes))
		return bytes
	}
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	one := size()
	for _, n := range []int{1, 1000} {
		for range 1000 / n {
			require.EqualError(t, s.Append(ctx, "run", 0, notes(0, n)...), `agentgraph: run "run": journal has another length: expected 0 records, has 1`)
		}
		require.Equal(t, one, size())
	}
}

// counter counts statements.
type counter struct{ atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.Add(1)
	return ctx
}

func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// openCounted returns a store, and the count of its statements.
func openCounted(t *testing.T, o *pgstore.Options) (*pgstore.Store, *counter) {
	config, err := pgxpool.ParseConfig(shared.url("postgres"))
	require.NoError(t, err)
	count := &counter{}
	config.ConnConfig.Tracer = count
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s, err := pgstore.New(context.Background(), pool, o)
	require.NoError(t, err)
	return s, count
}

// TestLookingIn: what the README says to ask gives a journal.
func TestLookingIn(t *testing.T) {
	if left(t) {
		return
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, query, _ := strings.Cut(string(readme), "```sql\n")
	query, _, _ = strings.Cut(query, "```")
	ctx, url := context.Background(), shared.url(newDatabase(t, shared))
	s := openURL(t, url, nil)
	require.NoError(t, s.Append(ctx, "order/17", 0, notes(0, 2)...))
	require.NoError(t, s.Append(ctx, "order/18", 0, notes(0, 2)...))

	rows, err := newPool(t, url).Query(ctx, query)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowToMap)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, map[string]any{"n": 1.0}, got[1]["data"])
	require.Equal(t, "note", got[1]["kind"])
	require.EqualValues(t, 2, got[1]["seq"])
}

// TestNanoseconds: the ends of what a record may have, and a kind with a NUL.
func TestNanoseconds(t *testing.T) {
	if left(t) {
		return
	}
	s := open(t)
	times := []time.Time{
		{}, time.Date(0, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_001, time.UTC), time.Date(2026, 1, 2, 3, 4, 5, 6_007, time.UTC),
	}
	var in []agentgraph.Record
	for i, at := range times {
		in = append(in, agentgraph.Record{Seq: uint64(i + 1), Time: at, Kind: "a\x00b\\x00", Data: []byte(`"\u0000"`)})
	}
	require.NoError(t, s.Append(context.Background(), "run", 0, in...))
	got, err := collect(s, "run", 0)
	require.NoError(t, err)
	require.Equal(t, in, got)
}

// TestPages reads journals whose pages end by their number of records, by their
// bytes, and precisely at the end.
func TestPages(t *testing.T) {
	if left(t) {
		return
	}
	ctx, s := context.Background(), open(t)
	require.NoError(t, s.Append(ctx, "long", 0, notes(0, 2000)...))
	requireNotes(t, s, "long", 2000)
	require.NoError(t, s.Append(ctx, "long", 2000, notes(2000, 501)...))
	requireNotes(t, s, "long", 2501)
	got, err := collect(s, "long", 1500)
	require.NoError(t, err)
	require.Len(t, got, 1001)
	require.EqualValues(t, 1501, got[0].Seq)

	big := agentgraph.Record{Data: []byte(`"` + strings.Repeat("x", 400_000) + `"`)}
	require.NoError(t, s.Append(ctx, "wide", 0, big, big, big, big, note(0), big, big, big))
	got, err = collect(s, "wide", 0)
	require.NoError(t, err)
	require.Len(t, got, 8)
	require.Equal(t, `{"n":0}`, string(got[4].Data))
	require.True(t, bytes.Equal(big.Data, got[7].Data))

	for i := range 2001 {
		require.NoError(t, s.Append(ctx, fmt.Sprintf("run %d", i), 0, note(0)))
	}
	runs := map[string]bool{}
	for run, err := range s.Runs(ctx) {
		require.NoError(t, err)
		require.False(t, runs[run])
		runs[run] = true
	}
	require.Len(t, runs, 2003)
}

// TestMemory: a journal of 100,000 records is not held as a whole.
func TestMemory(t *testing.T) {
	if left(t) {
		return
	}
	const n, size = 100_000, 300
	ctx, s := context.Background(), open(t)
	fill(t, s, n, size)
	before, most, seen := heap(), uint64(0), 0
	for _, err := range s.Read(ctx, "run", 0) {
		require.NoError(t, err)
		if seen++; seen%10_000 == 5_000 {
			most = max(most, heap())
		}
	}
	require.Equal(t, n, seen)
	require.Less(t, most, before+10<<20, "of %d MB", n*size>>20)
}

// fill appends n records to the run, 10,000 at a time.
func fill(t *testing.T, s *pgstore.Store, n, size int) {
	list := make([]agentgraph.Record, 10_000)
	for i := range list {
		list[i] = agentgraph.Record{Kind: "note", Data: fmt.Appendf(nil, `"%0*d"`, size, i)}
	}
	for after := 0; after < n; after += len(list) {
		require.NoError(t, s.Append(context.Background(), "run", uint64(after), list...))
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestLargeRecord(t *testing.T) {
	if left(t) {
		return
	}
	ctx, s := context.Background(), open(t)
	large := agentgraph.Record{Data: []byte(`"` + strings.Repeat("0123456789abcdef", 4<<20) + `"`)}
	require.NoError(t, s.Append(ctx, "run", 0, note(0), large, note(2)))
	got, err := collect(s, "run", 0)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.True(t, bytes.Equal(large.Data, got[1].Data))
	require.Equal(t, `{"n":2}`, string(got[2].Data))
}

// TestTwoStores fence each other, also where a journal was deleted and begun anew to
// precisely the length it had.
func TestTwoStores(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	o := &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	old, other := openURL(t, shared.url("postgres"), o), openURL(t, shared.url("postgres"), o)
	require.NoError(t, old.Append(ctx, "run", 0, notes(0, 3)...))
	require.NoError(t, other.Append(ctx, "run", 3, note(3)))
	require.EqualError(t, old.Append(ctx, "run", 3, note(9)), `agentgraph: run "run": journal has another length: expected 3 records, has 4`)
	require.NoError(t, old.Append(ctx, "run", 4, note(4)))
	requireNotes(t, other, "run", 5)

	require.NoError(t, other.Delete(ctx, "run"))
	require.ErrorIs(t, old.Append(ctx, "run", 5, note(5)), agentgraph.ErrConflict)
	require.NoError(t, other.Append(ctx, "run", 0, notes(0, 5)...))
	for range 2 {
		require.EqualError(t, old.Append(ctx, "run", 5, note(5)), `agentgraph: run "run": journal has another length: it was deleted and begun anew`)
		require.ErrorIs(t, old.Append(ctx, "run", 5), agentgraph.ErrConflict)
		got, err := collect(old, "run", 4)
		require.NoError(t, err)
		require.Len(t, got, 1)
	}
	requireNotes(t, old, "run", 5)
	require.NoError(t, old.Append(ctx, "run", 5, note(5)), "it has read the new one")
	requireNotes(t, other, "run", 6)
}

// TestDeleteAgainstAppends: whatever the order, no journal has a gap, and none has
// records that its length does not count.
func TestDeleteAgainstAppends(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	o := &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	stores := []*pgstore.Store{openURL(t, shared.url("postgres"), o), openURL(t, shared.url("postgres"), o)}
	var all sync.WaitGroup
	for w := range 4 {
		s := stores[w%2]
		all.Go(func() {
			after := uint64(0)
			for range 200 {
				err := s.Append(ctx, "run", after, notes(int(after), 3)...)
				after += 3
				if errors.Is(err, agentgraph.ErrConflict) {
					got, err := collect(s, "run", 0)
					if !errors.Is(err, agentgraph.ErrConflict) { // deleted while it was read
						requireNoGap(t, got, err)
					}
					after = uint64(len(got))
				} else if err != nil {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	all.Go(func() {
		for range 100 {
			if err := stores[0].Delete(ctx, "run"); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
	})
	all.Wait()
	got, err := collect(stores[1], "run", 0)
	requireNoGap(t, got, err)
	require.Equal(t, len(got), countRows(t, o.Prefix))
}

func requireNoGap(t *testing.T, got []agentgraph.Record, err error) {
	if err != nil || len(got)%3 != 0 {
		t.Errorf("got %d records and error %v", len(got), err)
	}
	for i, r := range got {
		if r.Seq != uint64(i+1) || string(r.Data) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("record %d has Seq %d and data %s", i, r.Seq, r.Data)
		}
	}
}

func countRows(t *testing.T, tables string) (n int) {
	pool := newPool(t, shared.url("postgres"))
	require.NoError(t, pool.QueryRow(context.Background(), "SELECT count(*) FROM "+tables+"records").Scan(&n))
	return n
}

func newPool(t *testing.T, url string) *pgxpool.Pool {
	pool, err := pgxpool.New(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// TestDeletedWhileRead: a page of another journal is not taken for the next one.
func TestDeletedWhileRead(t *testing.T) {
	if left(t) {
		return
	}
	ctx, s := context.Background(), open(t)
	for _, renew := range []bool{false, true} {
		require.NoError(t, s.Append(ctx, "run", 0, notes(0, 1500)...))
		seen := 0
		var failed error
		for _, err := range s.Read(ctx, "run", 0) {
			if failed = err; err != nil {
				continue
			}
			if seen++; seen == 1 {
				require.NoError(t, s.Delete(ctx, "run"))
				if renew {
					require.NoError(t, s.Append(ctx, "run", 0, notes(0, 1500)...))
				}
			}
		}
		require.ErrorIs(t, failed, agentgraph.ErrConflict)
		require.Equal(t, 1000, seen)
	}
}

// TestDamage: records that someone else took away are noticed, but for the last ones,
// without which a journal is a shorter one.
func TestDamage(t *testing.T) {
	if left(t) {
		return
	}
	ctx := context.Background()
	for name, c := range map[string]struct {
		sql  string
		good int
	}{
		"all gone":     {"DELETE FROM %srecords", 0},
		"first gone":   {"DELETE FROM %srecords WHERE seq = 1", 0},
		"one gone":     {"DELETE FROM %srecords WHERE seq = 2", 1},
		"far too many": {"INSERT INTO %srecords SELECT seq + 4, at, at_ns, kind, data, life FROM %[1]srecords", 3},
	} {
		t.Run(name, func(t *testing.T) {
			tables := fmt.Sprintf("t%d_", made.Add(1))
			s := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
			require.NoError(t, s.Append(ctx, "run", 0, notes(0, 3)...))
			require.NoError(t, shared.exec("postgres", fmt.Sprintf(c.sql, tables)))
			got, err := collect(s, "run", 0)
			require.Len(t, got, c.good)
			require.ErrorIs(t, err, agentgraph.ErrCorrupt)
			require.ErrorIs(t, s.Append(ctx, "run", 0, note(0)), agentgraph.ErrConflict)
		})
	}
}

func TestClosed(t *testing.T) {
	if left(t) {
		return
	}
	ctx, pool := context.Background(), newPool(t, shared.url("postgres"))
	o := &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))}
	ours := openURL(t, shared.url("postgres"), o)
	theirs, err := pgstore.New(ctx, pool, o)
	require.NoError(t, err)
	for _, s := range []*pgstore.Store{ours, theirs} {
		require.NoError(t, s.Append(ctx, "run", 0, notes(0, 3)...))
		for _, err := range s.Read(ctx, "run", 0) {
			require.NoError(t, err)
			require.NoError(t, s.Close())
		}
		require.NoError(t, s.Close())
		require.EqualError(t, s.Append(ctx, "run", 3, note(3)), `agentgraph: run "run": the store is closed: file already closed`)
		require.ErrorIs(t, s.Delete(ctx, "run"), fs.ErrClosed)
		_, err := collect(s, "run", 0)
		require.ErrorIs(t, err, fs.ErrClosed)
		for _, err := range s.Runs(ctx) {
			require.ErrorIs(t, err, fs.ErrClosed)
		}
		require.NoError(t, pool.Ping(ctx), "not ours to close")
		s := openURL(t, shared.url("postgres"), o)
		require.NoError(t, s.Delete(ctx, "run"))
	}
}
