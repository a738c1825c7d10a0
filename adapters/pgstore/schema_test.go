package pgstore_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// olderTables makes a database with tables of the first form.
func olderTables(t *testing.T) (database string) {
	form1, err := os.ReadFile("testdata/form1.sql")
	require.NoError(t, err)
	database = newDatabase(t, shared)
	require.NoError(t, shared.exec(database, string(form1)))
	return database
}

// TestOlderTables: ten who find tables of an older form at once make them into newer
// ones, once, and every record is there as it was.
func TestOlderTables(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), olderTables(t)

	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			s, err := pgstore.Open(ctx, shared.url(database), nil)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			_ = s.Close()
		})
	}
	all.Wait()
	s := openURL(t, shared.url(database), nil)
	got, err := collect(s, "run", 0)
	requireNoGap(t, got, err)
	require.Len(t, got, 3)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 6_007, time.UTC), got[2].Time)
	require.Equal(t, "note", got[2].Kind)
	require.NoError(t, s.Append(ctx, "run", 3, note(3)))
	require.NoError(t, s.Append(ctx, "other", 1, note(1)))
	requireNotes(t, s, "run", 4)
	requireNotes(t, s, "other", 2)
	require.Equal(t, columns(t, newDatabase(t, shared)), columns(t, database), "as if made anew")
}

// TestOlderProcess: the tables are changed after an append of a process that knows
// them in their older form, not in the middle of it.
func TestOlderProcess(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), olderTables(t)
	pool := newPool(t, shared.url(database))
	tx, err := pool.Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, "UPDATE agentgraph_runs SET last = 2 WHERE run = 'other'")
	require.NoError(t, err)

	opened := make(chan error, 1)
	go func() {
		s, err := pgstore.Open(ctx, shared.url(database), nil)
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	require.Eventually(t, func() (waits bool) {
		err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)").Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond)
	_, err = tx.Exec(ctx, "INSERT INTO agentgraph_records SELECT 'other', 2, at, at_ns, kind, '{\"n\":1}' FROM agentgraph_records WHERE run = 'other'")
	require.NoError(t, err)
	require.NoError(t, tx.Commit(ctx))
	require.NoError(t, <-opened)
	requireNotes(t, openURL(t, shared.url(database), nil), "other", 2)
}

// TestSchemaOfAnother: one who makes the schema in the same moment, without asking for
// our lock, is no sign of damage.
func TestSchemaOfAnother(t *testing.T) {
	if left(t) {
		return
	}
	ctx, url := context.Background(), shared.url(newDatabase(t, shared))
	pool := newPool(t, url)
	tx, err := pool.Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, "CREATE SCHEMA new")
	require.NoError(t, err)

	opened := make(chan error, 1)
	o := &pgstore.Options{Schema: "new"}
	go func() {
		_, err := pgstore.Open(ctx, url, o)
		opened <- err
	}()
	requireWaiting(t, pool, "CREATE SCHEMA%")
	require.NoError(t, tx.Commit(ctx))
	err = <-opened
	requireRefused(t, err, "23505", "open PostgreSQL store: ", "make the tables: ")
	require.NotErrorIs(t, err, agentgraph.ErrCorrupt)
	openURL(t, url, o)
}

// TestSmallTables have no statistics yet, with which a connection would plan to pass
// all rows for each append, and would go on so while the tables grow.
func TestSmallTables(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), newDatabase(t, shared)
	openURL(t, shared.url(database), nil)
	rows, err := newPool(t, shared.url(database)).Query(ctx, `
		SELECT concat_ws(' ', relname, option_name, option_value) FROM pg_class, pg_options_to_table(reloptions)
		WHERE relnamespace = 'public'::regnamespace ORDER BY 1`)
	require.NoError(t, err)
	options, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{
		"agentgraph_records autovacuum_analyze_threshold 1000", "agentgraph_records autovacuum_vacuum_threshold 1000",
		"agentgraph_runs autovacuum_analyze_threshold 1000", "agentgraph_runs autovacuum_vacuum_threshold 1000",
	}, options)
}

// columns are those of the tables that a store opened there has.
func columns(t *testing.T, database string) []string {
	ctx := context.Background()
	openURL(t, shared.url(database), nil)
	rows, err := newPool(t, shared.url(database)).Query(ctx, `
		SELECT format('%s %s %s %s', table_name, column_name, data_type, is_nullable)
		FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}
