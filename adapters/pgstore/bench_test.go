package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// typical is a record like what a step leaves.
func typical() agentgraph.Record {
	data := []byte(`{"path":["plan","draft"],"out":"` + strings.Repeat("x", 150) + `"}`)
	return agentgraph.Record{Time: time.Now(), Kind: "step", Data: data}
}

// byHand is the least that journals in a table could cost: a table and an INSERT a
// transaction.
type byHand struct {
	pool *pgxpool.Pool
	sql  string
}

func newByHand(b *testing.B, url string) byHand {
	ctx, name := context.Background(), fmt.Sprintf("hand%d", made.Add(1))
	pool, err := pgxpool.New(ctx, url)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	require.NoError(b, shared.exec("postgres", "CREATE TABLE "+name+
		" (run text, seq bigint, at timestamptz, kind text, data bytea, PRIMARY KEY (run, seq))"))
	return byHand{pool, "INSERT INTO " + name + " VALUES ($1, $2, $3, $4, $5)"}
}

func (h byHand) insert(run string, seq uint64) error {
	r := typical()
	_, err := h.pool.Exec(context.Background(), h.sql, run, seq, r.Time, r.Kind, []byte(r.Data))
	return err
}

// pair is how long rounds took: ours, and those of an INSERT by hand.
type pair struct{ ours, raw []time.Duration }

// beside measures rounds of ours and of INSERTs in turns, each first every
// other time, so that both meet the disk in one state. It reports
// x-raw, the median of the one over that of the other.
func beside(b *testing.B, ours, raw func() error) pair {
	var took [2][]time.Duration
	for round := 0; b.Loop(); round++ {
		for i := range took {
			which := (round + i) % 2
			begun := time.Now()
			err := []func() error{ours, raw}[which]()
			took[which] = append(took[which], time.Since(begun))
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(0, "ns/op") // would be of both
	b.ReportMetric(median(took[0])/median(took[1]), "x-raw")
	return pair{took[0], took[1]}
}

// latency reports the median round of each.
func (p pair) latency(b *testing.B) {
	b.ReportMetric(median(p.ours), "ns/append")
	b.ReportMetric(median(p.raw), "ns/INSERT")
}

// rate reports what each did in a second, when a round is so many appends.
func (p pair) rate(b *testing.B, appends int) {
	b.ReportMetric(perSecond(p.ours, appends), "appends/s")
	b.ReportMetric(perSecond(p.raw, appends), "INSERTs/s")
}

func perSecond(rounds []time.Duration, each int) float64 {
	var sum time.Duration
	for _, d := range rounds {
		sum += d
	}
	return float64(len(rounds)*each) / sum.Seconds()
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds())
}

// BenchmarkAppend is beside an INSERT by hand.
func BenchmarkAppend(b *testing.B) {
	if left(b) {
		return
	}
	ours, raw := appender(b, 1)
	p := beside(b, func() error { return ours(0) }, func() error { return raw(0) })
	p.latency(b)
	p.rate(b, 1)
}

// BenchmarkAppendAtOnce is the same of 8 owners at once, each of a run of its own,
// with a connection for each.
func BenchmarkAppendAtOnce(b *testing.B) {
	if left(b) {
		return
	}
	const owners, each = 8, 20
	ours, raw := appender(b, owners)
	p := beside(b,
		func() error { return atOnce(owners, each, ours) },
		func() error { return atOnce(owners, each, raw) })
	p.rate(b, owners*each)
}

// appender returns the next append of an owner, and an INSERT like it. The pools are
// alike.
func appender(b *testing.B, owners int) (ours, raw func(owner int) error) {
	url := fmt.Sprintf("%s&pool_max_conns=%d", shared.url("postgres"), owners)
	s := openURL(b, url, &pgstore.Options{Prefix: fmt.Sprintf("t%d_", made.Add(1))})
	hand := newByHand(b, url)
	after, inserted := make([]uint64, owners), make([]uint64, owners)
	ours = func(owner int) error {
		err := s.Append(context.Background(), fmt.Sprint("run-", owner), after[owner], typical())
		after[owner]++
		return err
	}
	raw = func(owner int) error {
		err := hand.insert(fmt.Sprint("run-", owner), inserted[owner])
		inserted[owner]++
		return err
	}
	return ours, raw
}

// atOnce has each owner do something so many times, all at once.
func atOnce(owners, each int, do func(owner int) error) error {
	var all sync.WaitGroup
	errs := make([]error, owners)
	for owner := range owners {
		all.Go(func() {
			for i := 0; i < each && errs[owner] == nil; i++ {
				errs[owner] = do(owner)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// BenchmarkRead reads 10,000 records, beside the query by hand.
func BenchmarkRead(b *testing.B) {
	if left(b) {
		return
	}
	const n = 10_000
	ctx := context.Background()
	b.Run("store", func(b *testing.B) {
		s := open(b)
		require.NoError(b, s.Append(ctx, "run", 0, slices.Repeat([]agentgraph.Record{typical()}, n)...))
		for b.Loop() {
			got, err := collect(s, "run", 0)
			require.NoError(b, err)
			require.Len(b, got, n)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
	})
	b.Run("SELECT", func(b *testing.B) {
		hand := newByHand(b, shared.url("postgres"))
		rows := make([][]any, n)
		for i := range rows {
			rows[i] = []any{"run", i, time.Now(), "step", []byte(typical().Data)}
		}
		table := strings.Fields(hand.sql)[2]
		_, err := hand.pool.CopyFrom(ctx, pgx.Identifier{table}, []string{"run", "seq", "at", "kind", "data"}, pgx.CopyFromRows(rows))
		require.NoError(b, err)
		for b.Loop() {
			rows, err := hand.pool.Query(ctx, "SELECT seq, at, kind, data FROM "+table+" WHERE run = $1 AND seq >= $2 ORDER BY seq", "run", 0)
			require.NoError(b, err)
			got, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r agentgraph.Record, err error) {
				err = row.Scan(&r.Seq, &r.Time, &r.Kind, (*[]byte)(&r.Data))
				return r, err
			})
			require.NoError(b, err)
			require.Len(b, got, n)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
	})
}
