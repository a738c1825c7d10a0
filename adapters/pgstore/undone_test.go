package pgstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// TestTakenBack: where the server takes back every statement that is SERIALIZABLE, as
// it may when others write close by, each is made at a weaker isolation.
func TestTakenBack(t *testing.T) {
	if left(t) {
		return
	}
	ctx, database := context.Background(), newDatabase(t, shared)
	role := fmt.Sprintf("role%d", made.Add(1))
	openURL(t, shared.url(database), nil)
	require.NoError(t, shared.exec(database, fmt.Sprintf(`
		CREATE ROLE %[1]s LOGIN;
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO %[1]s;
		GRANT INSERT, UPDATE, DELETE ON agentgraph_runs, agentgraph_records TO %[1]s;
		CREATE FUNCTION take_back() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
			IF current_setting('transaction_isolation') = 'serializable' THEN RAISE serialization_failure; END IF;
			RETURN true;
		END $$;
		ALTER TABLE agentgraph_runs ENABLE ROW LEVEL SECURITY;
		ALTER TABLE agentgraph_records ENABLE ROW LEVEL SECURITY;
		CREATE POLICY p ON agentgraph_runs USING (take_back());
		CREATE POLICY p ON agentgraph_records USING (take_back())`, role)))
	url := shared.URL(role, database) + "&pool_max_conns=1&default_transaction_isolation=serializable"
	s, other := openURL(t, url, nil), openURL(t, url, nil)

	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	require.NoError(t, s.Append(ctx, "run", 1, notes(1, 2)...))
	require.NoError(t, other.Append(ctx, "run", 3, note(3)), "which asks for the journal first")
	require.EqualError(t, s.Append(ctx, "run", 1, note(1)), `agentgraph: run "run": journal has another length: expected 1 records, has 4`)
	require.ErrorIs(t, s.Append(ctx, "run", 0, note(0)), agentgraph.ErrConflict)
	requireNotes(t, s, "run", 4)
	for run, err := range s.Runs(ctx) {
		require.NoError(t, err)
		require.Equal(t, "run", run)
	}
	require.NoError(t, s.Delete(ctx, "run"))
	requireNotes(t, s, "run", 0)
}

// TestSerializableOwners of different runs do not disturb each other.
func TestSerializableOwners(t *testing.T) {
	if left(t) {
		return
	}
	const owners, each = 8, 100
	url := fmt.Sprintf("%s&pool_max_conns=%d&default_transaction_isolation=serializable", shared.url("postgres"), owners)
	s := openURL(t, url, &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))})
	done := make([]int, owners)
	require.NoError(t, atOnce(owners, each, func(owner int) error {
		run, after := fmt.Sprint(owner), done[owner]
		done[owner]++
		if err := s.Append(context.Background(), run, uint64(after), note(after)); err != nil {
			return err
		}
		_, err := collect(s, run, 0)
		return err
	}))
	for owner := range owners {
		requireNotes(t, s, fmt.Sprint(owner), each)
	}
}
