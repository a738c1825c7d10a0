package pgstore_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// TestDiskFull: the server has no room for the second record of an append. Nothing of
// that is there, and once there is room it can be made again.
func TestDiskFull(t *testing.T) {
	if left(t) {
		return
	}
	ctx, tables := context.Background(), fmt.Sprintf("t%d_", made.Add(1))
	s := openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
	require.NoError(t, s.Append(ctx, "run", 0, notes(0, 2)...))
	require.NoError(t, shared.exec("postgres", fmt.Sprintf(`
		CREATE FUNCTION %[1]sfull() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE disk_full USING MESSAGE = 'could not extend file: No space left on device'; END $$;
		CREATE TRIGGER full_disk BEFORE INSERT ON %[1]srecords FOR EACH ROW WHEN (new.seq %% 2 = 0) EXECUTE FUNCTION %[1]sfull()`, tables)))

	requireRefused(t, s.Append(ctx, "run", 2, notes(2, 2)...), "53100", `run "run": postgres://`, "No space left on device")
	requireRefused(t, s.Append(ctx, "new", 0, notes(0, 2)...), "53100", `run "new": postgres://`, "No space left on device")
	requireNotes(t, s, "run", 2)
	requireNotes(t, s, "new", 0)
	for run, err := range s.Runs(ctx) {
		require.NoError(t, err)
		require.Equal(t, "run", run)
	}
	require.NoError(t, s.Append(ctx, "run", 2, note(2)))

	require.NoError(t, shared.exec("postgres", fmt.Sprintf("DROP TRIGGER full_disk ON %srecords", tables)))
	require.NoError(t, s.Append(ctx, "run", 3, notes(3, 2)...))
	requireNotes(t, s, "run", 5)
	require.NoError(t, s.Append(ctx, "new", 0, notes(0, 2)...))
}

// TestSilent: a server that takes connections and says nothing is waited for until the
// context ends.
func TestSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = pgstore.Open(ctx, fmt.Sprintf("postgres://user:sekret@%s/db", l.Addr()), nil)
	requireError(t, err, fmt.Sprintf("agentgraph: open PostgreSQL store: postgres://user@%s/db: ", l.Addr()))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
