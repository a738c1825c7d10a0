package bench

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver
)

// openSQLite opens a new database that syncs each transaction, with one table of
// steps and one connection.
func openSQLite(tb testing.TB, dir string) *sql.DB {
	db, err := sql.Open("sqlite", filepath.Join(dir, "steps.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	require.NoError(tb, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec("CREATE TABLE step (n INTEGER PRIMARY KEY, outcome BLOB NOT NULL)")
	require.NoError(tb, err)
	return db
}

// inserts is one insert a transaction, of so many bytes.
func inserts(size int64) row {
	return func(tb testing.TB, c *clock, n int) {
		dir := tb.TempDir()
		db := openSQLite(tb, dir)
		insert, err := db.Prepare("INSERT INTO step (n, outcome) VALUES (?, ?)")
		require.NoError(tb, err)
		outcome := bytes.Repeat([]byte("x"), int(size))
		c.start()
		for i := range n {
			_, err := insert.Exec(i, outcome)
			require.NoError(tb, err)
			c.done(1)
		}
		c.stop()
		require.Equal(tb, int64(n)*size, ask[int64](tb, db, "SELECT sum(length(outcome)) FROM step"))
		require.NoError(tb, insert.Close())
		require.NoError(tb, db.Close())
		c.disk += sizeOf(tb, dir)
	}
}

// ask returns the one value that a query gives.
func ask[T any](tb testing.TB, db *sql.DB, query string) T {
	var value T
	require.NoError(tb, db.QueryRow(query).Scan(&value))
	return value
}

func TestInserts(t *testing.T) {
	db := openSQLite(t, t.TempDir())
	require.Equal(t, "wal", ask[string](t, db, "PRAGMA journal_mode"))
	require.Equal(t, 2, ask[int](t, db, "PRAGMA synchronous"), "FULL")
	require.NoError(t, db.Close())

	c := besideAppends(t, 200)
	inserts(200)(t, c, 100)
	require.Equal(t, 100, c.units)
	require.Greater(t, c.disk, int64(100*200))
	if written() > 0 {
		require.Greater(t, c.wrote, int64(100*4096), "a page a transaction")
	}
}
