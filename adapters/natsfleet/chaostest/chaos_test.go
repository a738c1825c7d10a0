// Package chaostest kills the processes of a fleet while it works: its workers, and
// the servers that it stands on.
package chaostest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

var (
	chaosRuns  = flag.Int("chaos.runs", 100, "how many runs a test has; 1000 is the long form")
	chaosEvery = flag.Duration("chaos.every", time.Second, "how often something is killed")
	chaosSeed  = flag.Uint64("chaos.seed", 1, "what is killed")
)

// TestChaosNATS: three NATS servers keep all.
func TestChaosNATS(t *testing.T) {
	servers, urls := cluster(t)
	testChaos(t, servers, worker{URLs: urls, Options: natsfleet.Options{Replicas: 3}})
}

// TestChaosPostgres: a PostgreSQL server keeps the journals, and is killed as often as
// the three of NATS are; a NATS server that nobody kills hands out the runs.
func TestChaosPostgres(t *testing.T) {
	db := newDatabase(t)
	if db == nil {
		return
	}
	testChaos(t, []victim{db, db, db}, worker{URLs: embedded(t).URL(), Postgres: db.url()})
}

// victim is a process that is killed, and started again.
type victim interface {
	kill(*rand.Rand)
	start() error
}

// testChaos: while a fleet of four workers, each a process of its own, works on many
// runs, one after the other of them and of its servers is killed and started again, or
// a worker is held until another one has its runs, and let go.
// All runs end as if nothing had happened, and no step is done again that was
// acknowledged.
func testChaos(t *testing.T, servers []victim, w worker) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute+time.Duration(*chaosRuns)*500*time.Millisecond)
	defer cancel()
	w.Options.Name, w.Options.Silence = "chaos", 2*time.Second
	w.Log, w.AtOnce = filepath.Join(t.TempDir(), "diary"), 3
	victims := servers
	for _, p := range workers(t, 4, w) {
		victims = append(victims, p, dozer{p, w.Options.Silence + time.Second})
	}
	f := patientFleet(ctx, t, w)
	require.NoError(t, register(f, &diary{}))

	over, quiet := context.WithCancel(ctx)
	var kills int
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		kills, failed = chaos(over, victims)
	}()
	calm := func() { quiet(); <-done }
	t.Cleanup(calm) // before the processes are
	began := time.Now()
	results := runAll(ctx, t, f)
	took := time.Since(began)
	calm()
	require.NoError(t, failed)
	t.Logf("%d runs in %v, %d kills", *chaosRuns, took.Round(time.Millisecond), kills)
	for i, result := range results {
		requireUndisturbed(ctx, t, f.Store(), chaosID(i), result)
	}
	requireNothingAgain(t, w.Log, len(results))
}

// patientFleet can wait for runs while their journals are away.
func patientFleet(ctx context.Context, t *testing.T, w worker) *natsfleet.Fleet {
	store, err := w.database(ctx)
	require.NoError(t, err)
	if store != nil {
		store = rereading{store}
	}
	f, err := w.fleet(ctx, store)
	require.NoError(t, err)
	return f
}

func chaosID(i int) string { return fmt.Sprintf("run/%d", i) }

// runAll submits all runs and waits for all.
func runAll(ctx context.Context, t *testing.T, f *natsfleet.Fleet) []*agentgraph.Result {
	results, errs := make([]*agentgraph.Result, *chaosRuns), make([]error, *chaosRuns)
	var all sync.WaitGroup
	for i := range results {
		require.NoError(t, f.Submit(ctx, "chaos", chaosID(i), map[string]any{"id": chaosID(i)}))
		all.Go(func() { results[i], errs[i] = f.Wait(ctx, chaosID(i)) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			s, unknown := f.Status(context.WithoutCancel(ctx), chaosID(i))
			require.NoError(t, err, "%+v, %v", s, unknown)
		}
	}
	return results
}

// chaos kills one victim after the other, and starts each again after a moment, one
// for every five runs, so that a slow machine gets to the end. It returns how many.
func chaos(ctx context.Context, victims []victim) (kills int, err error) {
	random := rand.New(rand.NewPCG(*chaosSeed, 0))
	for kills < *chaosRuns/5 && pause(ctx, *chaosEvery) {
		v := victims[random.IntN(len(victims))]
		v.kill(random)
		kills++
		pause(ctx, time.Duration(random.Int64N(int64(*chaosEvery))))
		if err := v.start(); err != nil {
			return kills, err
		}
	}
	return kills, nil
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// requireUndisturbed: a run came to what it comes to where nothing is killed, and its
// journal has each step once.
func requireUndisturbed(ctx context.Context, t *testing.T, store agentgraph.Store, runID string, result *agentgraph.Result) {
	calm := agentgraph.NewMemStore()
	undisturbed, err := chaosFlow(&diary{}, 0).On(calm).Run(ctx, runID, map[string]any{"id": runID})
	require.NoError(t, err)
	require.Equal(t, undisturbed.Artifacts, result.Artifacts)
	want, _, err := acknowledged(ctx, calm, runID)
	require.NoError(t, err)
	got, _, err := acknowledged(ctx, store, runID)
	require.NoError(t, err)
	require.Equal(t, want, got, "each step is acknowledged once: %s", runID)
}

// requireNothingAgain reads the diary.
func requireNothingAgain(t *testing.T, file string, runs int) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	words := map[string]int{}
	for line := range strings.Lines(string(text)) {
		word, _, _ := strings.Cut(line, " ")
		words[word]++
		require.NotEqual(t, "again", word, line)
	}
	require.GreaterOrEqual(t, words["begin"], runs*25, "there are that many steps and turns that write")
	t.Logf("%d steps and turns began, and %d in workers that had lost their run", words["begin"], words["lost"])
}
