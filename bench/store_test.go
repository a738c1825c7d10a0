package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

const runID = "run"

// place is a store and where it keeps its files.
type place struct {
	agentgraph.Store
	dir string // empty in memory
}

var places = []struct {
	name  string
	open  func(testing.TB) place
	clock func(tb testing.TB, size int64) *clock // of steps
}{
	{"filestore", func(tb testing.TB) place { return openFiles(tb, tb.TempDir()) }, besideAppends},
	{"memstore", func(testing.TB) place { return place{Store: agentgraph.NewMemStore()} }, besideNothing},
}

func openFiles(tb testing.TB, dir string) place {
	s, err := filestore.Open(dir, nil)
	require.NoError(tb, err)
	return place{s, dir}
}

// filled is a place where the run has these records, through a store that has
// read none of them.
func filled(tb testing.TB, open func(testing.TB) place, records []agentgraph.Record) place {
	p, after := open(tb), uint64(0)
	for batch := range slices.Chunk(records, 100) {
		require.NoError(tb, p.Append(context.Background(), runID, after, batch...))
		after += uint64(len(batch))
	}
	if p.dir == "" {
		return p
	}
	p.close(tb)
	return openFiles(tb, p.dir)
}

func (p place) close(tb testing.TB) {
	if c, ok := p.Store.(io.Closer); ok {
		require.NoError(tb, c.Close())
	}
}

// file is the run's journal.
func (p place) file() string { return filepath.Join(p.dir, runID+".jsonl") }

func (p place) records(tb testing.TB) []agentgraph.Record {
	var records []agentgraph.Record
	for r, err := range p.Read(context.Background(), runID, 0) {
		require.NoError(tb, err)
		records = append(records, r)
	}
	return records
}

// size is that of all files; 0 in memory.
func (p place) size(tb testing.TB) int64 {
	if p.dir == "" {
		return 0
	}
	return sizeOf(tb, p.dir)
}

func sizeOf(tb testing.TB, dir string) int64 {
	var size int64
	require.NoError(tb, fs.WalkDir(os.DirFS(dir), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	}))
	return size
}

// bytesAStep is what a row of ours leaves on the disk: the size for its floors.
func bytesAStep(tb testing.TB, r row) int64 {
	const n = 100
	c := &clock{stretch: n + 1}
	r(tb, c, n)
	require.Positive(tb, c.disk)
	return c.disk / n
}

// result is what a step returns: 100 bytes of JSON.
type result struct {
	Step string `json:"step"`
	Text string `json:"text"`
}

func resultOf(step int) result {
	return result{fmt.Sprintf("%06d", step), strings.Repeat("x", 73)}
}

// stored is one append a step, with nothing above the store.
func stored(open func(testing.TB) place) row {
	return func(tb testing.TB, c *clock, n int) {
		ctx, p := context.Background(), open(tb)
		defer p.close(tb)
		c.start()
		for i := range n {
			require.NoError(tb, p.Append(ctx, runID, uint64(i), recordOf(tb, i)))
			c.done(1)
		}
		c.stop()
		require.Len(tb, p.records(tb), n)
		c.disk += p.size(tb)
	}
}

// recordOf is like what a step leaves in a journal: its path, what it started
// from as a digest, and what it set.
func recordOf(tb testing.TB, step int) agentgraph.Record {
	set, err := json.Marshal(resultOf(step))
	require.NoError(tb, err)
	data := fmt.Appendf(nil, `{"path":["step",%d],"in":"%032x","set":{"result":%s}}`, step, step, set)
	return agentgraph.Record{Kind: "step", Data: data}
}

// BenchmarkStoreAppend is the stores alone, without steps, beside their floors.
func BenchmarkStoreAppend(b *testing.B) {
	const n = 1000
	size := bytesAStep(b, stored(places[0].open))
	benchFloors(b, "", size, n)
	for _, place := range places {
		b.Run("agentgraph/"+place.name, func(b *testing.B) { benchSteps(b, place.clock(b, size), n, stored(place.open)) })
	}
}

// benchFloors is n steps of so many bytes each, with nothing of ours.
func benchFloors(b *testing.B, prefix string, size int64, n int) {
	b.Run(prefix+"append+fsync", func(b *testing.B) { benchSteps(b, besideAppends(b, size), n, appends(size)) })
	b.Run(prefix+"sqlite", func(b *testing.B) { benchSteps(b, besideAppends(b, size), n, inserts(size)) })
}

// BenchmarkStoreRead reads a journal of n records.
func BenchmarkStoreRead(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		records := make([]agentgraph.Record, n)
		for i := range records {
			records[i] = recordOf(b, i)
		}
		benchReads(b, records, n, func(tb testing.TB, c *clock, p place) {
			c.start()
			require.Len(tb, p.records(tb), n)
			c.done(n)
			c.stop()
		})
	}
}

// benchReads has a journal of n steps read in every place, a new one each time,
// beside the floor.
func benchReads(b *testing.B, records []agentgraph.Record, n int, read func(testing.TB, *clock, place)) {
	floor := filled(b, places[0].open, records)
	defer floor.close(b)
	b.Run(fmt.Sprintf("n=%d/read log", n), func(b *testing.B) {
		c := besideReading(b, floor.file(), n)
		for b.Loop() {
			c.start()
			readLog(b, floor.file(), n)
			c.done(n)
			c.stop()
		}
		c.report(b)
	})
	for _, place := range places {
		b.Run(fmt.Sprintf("n=%d/agentgraph/%s", n, place.name), func(b *testing.B) {
			c := besideReading(b, floor.file(), n)
			for b.Loop() {
				p := filled(b, place.open, records)
				read(b, c, p)
				p.close(b)
			}
			c.report(b)
		})
	}
}

func TestStored(t *testing.T) {
	text, err := json.Marshal(resultOf(17))
	require.NoError(t, err)
	require.Len(t, text, 100)
	for _, place := range places {
		t.Run(place.name, func(t *testing.T) {
			c := place.clock(t, 200)
			stored(place.open)(t, c, 100)
			require.Equal(t, 100, c.units)
			require.Len(t, c.costs, 10)
		})
	}
}

func TestFilled(t *testing.T) {
	records := make([]agentgraph.Record, 250)
	for i := range records {
		records[i] = recordOf(t, i)
	}
	for _, place := range places {
		p := filled(t, place.open, records)
		defer p.close(t)
		got := p.records(t)
		require.Len(t, got, 250)
		for i, r := range got {
			require.Equal(t, uint64(i+1), r.Seq)
			require.Equal(t, string(records[i].Data), string(r.Data))
		}
	}
}
