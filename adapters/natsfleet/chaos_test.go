package natsfleet_test

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

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

var (
	chaosRuns  = flag.Int("chaos.runs", 80, "how many runs TestChaos has; 1000 is the long form")
	chaosEvery = flag.Duration("chaos.every", 1500*time.Millisecond, "how often TestChaos kills a process")
	chaosSeed  = flag.Uint64("chaos.seed", 1, "which processes TestChaos kills")
)

// TestChaos: while a fleet of four workers and three servers, each a process of its
// own, works on many runs, one of them after the other is killed and started again.
// All runs end as if nothing had happened, and no step is done again that was
// acknowledged.
func TestChaos(t *testing.T) {
	servers, urls := cluster(t)
	o := natsfleet.Options{Name: "chaos", Replicas: 3, Silence: 2 * time.Second, Deaths: 1000}
	log := filepath.Join(t.TempDir(), "diary")
	crew := workers(t, 4, workerChild{URLs: urls, Options: o, Log: log, AtOnce: 3})

	nc, err := nats.Connect(urls, patient()...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute+time.Duration(*chaosRuns)*500*time.Millisecond)
	defer cancel()
	f, err := natsfleet.Open(ctx, nc, o)
	require.NoError(t, err)
	require.NoError(t, register(f, &diary{}))

	over, quiet := context.WithCancel(ctx)
	kills := make(chan int, 1)
	go func() { kills <- chaos(t, over, append(servers, crew...)) }()
	submitted := time.Now()
	results := runAll(ctx, t, f)
	took := time.Since(submitted)
	quiet()
	t.Logf("%d runs in %v, %d kills", *chaosRuns, took.Round(time.Millisecond), <-kills)

	for i, result := range results {
		id := chaosID(i)
		store := agentgraph.NewMemStore()
		undisturbed, err := chaosFlow(&diary{}, 0).On(store).Run(ctx, id, map[string]any{"id": id})
		require.NoError(t, err)
		require.Equal(t, undisturbed.Artifacts, result.Artifacts)
		want, _, err := acknowledged(ctx, store, id)
		require.NoError(t, err)
		got, _, err := acknowledged(ctx, f.Store(), id)
		require.NoError(t, err)
		require.Equal(t, want, got, "each step is acknowledged once: %s", id)
	}
	requireNothingAgain(t, log, len(results))
}

func chaosID(i int) string { return fmt.Sprintf("run/%d", i) }

// runAll submits all runs and waits for all.
func runAll(ctx context.Context, t *testing.T, f *natsfleet.Fleet) []*agentgraph.Result {
	results, errs := make([]*agentgraph.Result, *chaosRuns), make([]error, *chaosRuns)
	var all sync.WaitGroup
	for i := range results {
		if err := f.Submit(ctx, "chaos", chaosID(i), map[string]any{"id": chaosID(i)}); err != nil {
			require.NoError(t, err)
		}
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

// chaos kills one process after the other, and starts each again after a moment, one
// for every five runs, so that a slow machine gets to the end. It returns how many.
func chaos(t *testing.T, ctx context.Context, processes []*process) (kills int) {
	random := rand.New(rand.NewPCG(*chaosSeed, 0))
	for kills < *chaosRuns/5 && pause(ctx, *chaosEvery) {
		p := processes[random.IntN(len(processes))]
		p.kill()
		kills++
		pause(ctx, time.Duration(random.Int64N(int64(*chaosEvery))))
		p.start(t)
	}
	return kills
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
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

// TestDiary: what TestChaos looks for would be seen.
func TestDiary(t *testing.T) {
	t.Parallel()
	store := agentgraph.NewMemStore()
	d := &diary{store: store}
	_, err := chaosFlow(d, 0).On(store).Run(within(t), "run", map[string]any{"id": "run"})
	require.NoError(t, err)
	d.file = filepath.Join(t.TempDir(), "diary")
	require.NoError(t, d.begin(within(t), "run", "prepare-0"))
	require.NoError(t, d.begin(within(t), "run", "part-1/check-part-1"))
	require.NoError(t, d.begin(within(t), "run", "talk/ann#0"))
	require.NoError(t, d.begin(within(t), "run", "talk/ann#99"))
	d.attempts["run"] = 0
	require.NoError(t, d.begin(within(t), "run", "prepare-0"))
	text, err := os.ReadFile(d.file)
	require.NoError(t, err)
	require.Equal(t, "again run prepare-0\nagain run part-1/check-part-1\nagain run talk/ann#0\nbegin run talk/ann#99\nlost run prepare-0\n", string(text))
}
