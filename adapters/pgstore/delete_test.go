package pgstore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// TestDeleteInOrder: a deletion and an append of an old owner, which expects the record
// before the last, do not wait for each other, however the records lie in the table.
func TestDeleteInOrder(t *testing.T) {
	if left(t) {
		return
	}
	ctx, tables := context.Background(), fmt.Sprintf("t%d_", made.Add(1))
	s := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
	require.NoError(t, s.Append(ctx, "run", 0, notes(0, 2)...))
	require.NoError(t, shared.exec("postgres", fmt.Sprintf(`
		CREATE TEMP TABLE kept AS TABLE %[1]srecords;
		TRUNCATE %[1]srecords;
		INSERT INTO %[1]srecords SELECT * FROM kept ORDER BY seq DESC`, tables)))
	pool := newPool(t, shared.url("postgres"))
	other, err := pool.Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = other.Rollback(ctx) }()
	_, err = other.Exec(ctx, "SELECT FROM "+tables+"records WHERE seq = 1 FOR KEY SHARE")
	require.NoError(t, err)

	deleted := make(chan error, 1)
	go func() { deleted <- s.Delete(ctx, "run") }()
	requireWaiting(t, pool, "%DELETE FROM%"+tables+"records%")
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err = s.Append(short, "run", 1, note(9))
	require.ErrorIs(t, err, agentgraph.ErrConflict, "at once, for the record is still there")
	require.NoError(t, other.Rollback(ctx))
	require.NoError(t, <-deleted)
	require.Zero(t, countRows(t, tables))
}

// TestDeleteInParts: a journal that takes several statements to delete, the last of
// them full or not, goes as a whole, and so does one with a gap.
func TestDeleteInParts(t *testing.T) {
	if left(t) {
		return
	}
	ctx, tables := context.Background(), fmt.Sprintf("t%d_", made.Add(1))
	s := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
	for _, damage := range []string{"", "DELETE FROM %srecords WHERE seq < 100", "DELETE FROM %srecords WHERE seq % 3 > 0"} {
		for _, more := range []int{0, 1} {
			fill(t, s, 20_000, 1)
			require.NoError(t, s.Append(ctx, "run", 20_000, notes(0, more)...))
			require.NoError(t, s.Append(ctx, "other", 0, notes(0, 2)...))
			if damage != "" {
				require.NoError(t, shared.exec("postgres", strings.Replace(damage, "%s", tables, 1)+" AND life = (SELECT life FROM "+tables+"runs WHERE run = 'run')"))
			}
			require.NoError(t, s.Delete(ctx, "run"))
			require.Equal(t, 2, countRows(t, tables))
			require.NoError(t, s.Delete(ctx, "other"))
			require.Zero(t, countRows(t, tables))
		}
	}
}

// requireWaiting returns once a statement like that waits for a lock.
func requireWaiting(t *testing.T, pool *pgxpool.Pool, like string) {
	t.Helper()
	require.Eventually(t, func() (waits bool) {
		err := pool.QueryRow(context.Background(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND query LIKE $1)`, like).Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond)
}
