package pgstore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// typical is a record like what a step leaves.
func typical() agentgraph.Record {
	data := []byte(`{"path":["plan","draft"],"out":"` + strings.Repeat("x", 150) + `"}`)
	return agentgraph.Record{Time: time.Now(), Kind: "step", Data: data}
}

// byHand is the least that a journal in a table could cost: a table and an INSERT a
// transaction.
type byHand struct {
	pool *pgxpool.Pool
	sql  string
}

func newByHand(b *testing.B) byHand {
	ctx, name := context.Background(), fmt.Sprintf("hand%d", made.Add(1))
	pool, err := pgxpool.New(ctx, shared.url("postgres"))
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	require.NoError(b, shared.exec("postgres", "CREATE TABLE "+name+
		" (run text, seq bigint, at timestamptz, kind text, data bytea, PRIMARY KEY (run, seq))"))
	return byHand{pool, "INSERT INTO " + name + " VALUES ($1, $2, $3, $4, $5)"}
}

func (h byHand) insert(b *testing.B, seq int) {
	r := typical()
	_, err := h.pool.Exec(context.Background(), h.sql, "run", seq, r.Time, r.Kind, []byte(r.Data))
	require.NoError(b, err)
}

// BenchmarkAppend takes turns with an INSERT by hand, so that both meet the disk in
// one state. The ratio is that of the medians.
func BenchmarkAppend(b *testing.B) {
	if left(b) {
		return
	}
	ctx, s, hand := context.Background(), open(b), newByHand(b)
	var ours, theirs []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		require.NoError(b, s.Append(ctx, "run", uint64(i), typical()))
		between := time.Now()
		hand.insert(b, i)
		ours, theirs = append(ours, between.Sub(began)), append(theirs, time.Since(between))
	}
	b.ReportMetric(median(ours), "ns/append")
	b.ReportMetric(median(theirs), "ns/INSERT")
	b.ReportMetric(median(ours)/median(theirs), "ratio")
	b.ReportMetric(0, "ns/op")
}

func median(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2])
}

// BenchmarkAppendAtOnce has 8 runs at once, and then 8 connections that insert.
func BenchmarkAppendAtOnce(b *testing.B) {
	if left(b) {
		return
	}
	const writers = 8
	b.Run("store", func(b *testing.B) {
		s := openURL(b, shared.url("postgres")+"&pool_max_conns=8", nil)
		atOnce(b, writers, func(w, i int) error {
			return s.Append(context.Background(), fmt.Sprintf("%s %d", b.Name(), w), uint64(i), typical())
		})
		for w := range writers {
			require.NoError(b, s.Delete(context.Background(), fmt.Sprintf("%s %d", b.Name(), w)))
		}
	})
	b.Run("INSERT", func(b *testing.B) {
		hand := newByHand(b)
		atOnce(b, writers, func(w, i int) error { hand.insert(b, i*writers+w); return nil })
	})
}

func atOnce(b *testing.B, writers int, do func(w, i int) error) {
	const each = 20
	next := make([]int, writers)
	for b.Loop() {
		done := make(chan error)
		for w := range writers {
			go func() {
				var err error
				for range each {
					err = do(w, next[w])
					next[w]++
				}
				done <- err
			}()
		}
		for range writers {
			require.NoError(b, <-done)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*writers*each), "ns/append")
	b.ReportMetric(0, "ns/op")
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
		hand := newByHand(b)
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
