package chaostest

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/pgtest"
)

// database is a PostgreSQL server.
type database struct{ server *pgtest.Server }

// newDatabase runs until the test ends. Where there is no PostgreSQL it says what is
// left out, and returns nil; in CI that is a failure.
func newDatabase(tb testing.TB) *database {
	tb.Helper()
	bin, err := pgtest.Programs()
	require.NoError(tb, err)
	if bin == "" {
		fmt.Fprintf(os.Stderr, "%s is left out: no PostgreSQL\n", tb.Name())
		return nil
	}
	server, err := pgtest.New(bin)
	require.NoError(tb, err)
	tb.Cleanup(server.Remove)
	require.NoError(tb, server.Start())
	return &database{server}
}

func (d *database) url() string { return d.server.URL("postgres", "postgres") }

// kill ends the server with SIGKILL, or as a crash does that its clients are told of,
// or as one does who starts it anew.
func (d *database) kill(random *rand.Rand) {
	switch random.IntN(3) {
	case 0:
		d.server.Kill()
	case 1:
		d.server.Stop("immediate")
	default:
		d.server.Stop("fast")
	}
}

func (d *database) start() error { return d.server.Start() }

// rereading is a store that reads again while its database is away.
type rereading struct{ agentgraph.Store }

func (s rereading) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		list, err := collect(s.Store.Read(ctx, runID, after))
		for err != nil && pause(ctx, 20*time.Millisecond) {
			list, err = collect(s.Store.Read(ctx, runID, after))
		}
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(agentgraph.Record{}, err)
		}
	}
}

func collect(records iter.Seq2[agentgraph.Record, error]) (list []agentgraph.Record, err error) {
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}
