package filestore

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

var ctx = context.Background()

func quiet() *Options { return &Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))} }

func note(i int) agentgraph.Record {
	return agentgraph.Record{Kind: "k", Data: fmt.Appendf(nil, `{"n":%d}`, i)}
}

func notes(from, n int) []agentgraph.Record {
	var list []agentgraph.Record
	for i := range n {
		list = append(list, note(from+i))
	}
	return list
}

func collect(s agentgraph.Store, run string) ([]agentgraph.Record, error) {
	var list []agentgraph.Record
	for r, err := range s.Read(ctx, run, 0) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// sampleJournal is a journal of 20 records, single ones and batches, and where its
// batches end.
func sampleJournal(t *testing.T) (data []byte, whole []agentgraph.Record, ends []int) {
	t.Helper()
	d := newMemDisk()
	s := newStore(d, quiet())
	ends = []int{0}
	for _, n := range []int{1, 1, 3, 1, 1, 5, 1, 1, 1, 2, 1, 1, 1} {
		at := ends[len(ends)-1]
		require.NoError(t, s.Append(ctx, "run", uint64(at), notes(at, n)...))
		ends = append(ends, at+n)
	}
	require.Equal(t, 20, ends[len(ends)-1])
	whole, err := collect(s, "run")
	require.NoError(t, err)
	return d.files["run.jsonl"].data, whole, ends
}

// outcome reads a journal that may be damaged: it is a prefix of whole batches, or
// that and ErrCorrupt.
func outcome(t *testing.T, data []byte, whole []agentgraph.Record, ends []int) (n int, corrupt bool) {
	d := newMemDisk()
	d.put("run.jsonl", data)
	got, err := collect(newStore(d, quiet()), "run")
	if err != nil {
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
	}
	if !slices.Contains(ends, len(got)) {
		t.Fatalf("%d records are no whole batches", len(got))
	}
	for i, r := range got {
		if r.Seq != whole[i].Seq || r.Kind != whole[i].Kind || !bytes.Equal(r.Data, whole[i].Data) || !r.Time.Equal(whole[i].Time) {
			t.Fatalf("record %d is another: %v", i, r)
		}
	}
	return len(got), err != nil
}

// requireUsable checks that an append to a damaged journal comes out as a read of
// it, and that what follows is in order.
func requireUsable(t *testing.T, data []byte, n int, corrupt bool) {
	t.Helper()
	d := newMemDisk()
	d.put("run.jsonl", bytes.Clone(data))
	s := newStore(d, quiet())
	err := s.Append(ctx, "run", uint64(n), note(100))
	if corrupt {
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		require.Equal(t, data, d.files["run.jsonl"].data, "damage is left as it is")
		return
	}
	require.NoError(t, err)
	got, err := collect(newStore(d, quiet()), "run")
	require.NoError(t, err)
	require.Len(t, got, n+1)
	require.JSONEq(t, `{"n":100}`, string(got[n].Data))
}

// TestEveryByte changes every byte to every other value: always ErrCorrupt.
func TestEveryByte(t *testing.T) {
	data, whole, ends := sampleJournal(t)
	values := []int{1, 7, 0x20, 0x80, 0xff}
	if !testing.Short() && !raceEnabled {
		values = nil
		for x := 1; x < 256; x++ {
			values = append(values, x)
		}
	}
	for i, was := range data {
		for _, x := range append(values, int(was), int(was^'\n')) {
			if x == 0 {
				continue
			}
			data[i] = was ^ byte(x)
			if _, corrupt := outcome(t, data, whole, ends); !corrupt {
				t.Fatalf("byte %d from %q to %q is not noticed", i, was, data[i])
			}
		}
		if i%5 == 0 {
			requireUsable(t, data, len(whole), true)
		}
		data[i] = was
	}
}

func TestEveryTruncation(t *testing.T) {
	data, whole, ends := sampleJournal(t)
	for size := range data {
		n, corrupt := outcome(t, data[:size], whole, ends)
		require.False(t, corrupt, "%d bytes", size)
		want := 0
		for _, end := range ends {
			if bytes.Count(data[:size], []byte("\n")) >= end {
				want = end
			}
		}
		require.Equal(t, want, n, "%d bytes", size)
		requireUsable(t, data[:size], n, false)
	}
}

func TestEveryLine(t *testing.T) {
	data, whole, ends := sampleJournal(t)
	lines := bytes.SplitAfter(data, []byte("\n"))
	lines = lines[:len(lines)-1]
	require.Len(t, lines, 20)
	check := func(what string, changed [][]byte, mayShorten bool) {
		t.Helper()
		n, corrupt := outcome(t, bytes.Join(changed, nil), whole, ends)
		require.True(t, corrupt || mayShorten, what)
		requireUsable(t, bytes.Join(changed, nil), n, corrupt)
	}
	for i := range lines {
		check(fmt.Sprintf("dropped %d", i), slices.Delete(slices.Clone(lines), i, i+1), i == len(lines)-1)
		check(fmt.Sprintf("doubled %d", i), slices.Insert(slices.Clone(lines), i, lines[i]), false)
		for k := range i {
			swapped := slices.Clone(lines)
			swapped[i], swapped[k] = swapped[k], swapped[i]
			check(fmt.Sprintf("swapped %d and %d", i, k), swapped, false)
		}
	}
	check("appended", append(slices.Clone(lines), []byte("{}\n")), false)
	check("an empty line", append(slices.Clone(lines), []byte("\n")), false)
}

// TestHoles loses every run of sectors of an append, which is no damage while it
// is the last, and is when another came after.
func TestHoles(t *testing.T) {
	d := newMemDisk()
	s := newStore(d, quiet())
	big := func() agentgraph.Record {
		return agentgraph.Record{Data: []byte(`"` + strings.Repeat("x", 700) + `"`)}
	}
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	start := len(d.files["run.jsonl"].data)
	require.NoError(t, s.Append(ctx, "run", 1, big(), big(), big()))
	last := bytes.Clone(d.files["run.jsonl"].data)
	require.NoError(t, s.Append(ctx, "run", 4, note(4)))
	more := bytes.Clone(d.files["run.jsonl"].data)
	whole, err := collect(s, "run")
	require.NoError(t, err)

	for from := start; from < len(last); from = (from/512 + 1) * 512 {
		for to := (from/512 + 1) * 512; to < len(last)+512; to += 512 {
			end := min(to, len(last))
			if end-from == 1 {
				continue
			}
			torn, damaged := bytes.Clone(last), bytes.Clone(more)
			clear(torn[from:end])
			n, corrupt := outcome(t, torn, whole, []int{0, 1, 4, 5})
			require.Equal(t, 1, n)
			require.False(t, corrupt, "hole from %d to %d", from, end)
			requireUsable(t, torn, 1, false)

			clear(damaged[from:end])
			_, corrupt = outcome(t, damaged, whole, []int{0, 1, 4, 5})
			require.True(t, corrupt, "hole from %d to %d before another append", from, end)
		}
	}
	zeros := append(bytes.Clone(last), make([]byte, 4096)...)
	n, corrupt := outcome(t, zeros, whole, []int{0, 1, 4, 5})
	require.Equal(t, 4, n)
	require.False(t, corrupt)
	requireUsable(t, zeros, 4, false)
}

func TestMovedAside(t *testing.T) {
	data, whole, _ := sampleJournal(t)
	d := newMemDisk()
	d.put("run.jsonl", append(bytes.Clone(data), `{"seq":21,"ti`...))
	var log bytes.Buffer
	hide := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	s := newStore(d, &Options{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: hide}))})
	got, err := collect(s, "run")
	require.NoError(t, err)
	require.Equal(t, whole, got)
	require.ErrorIs(t, s.Append(ctx, "run", 19, note(20)), agentgraph.ErrConflict)
	require.Empty(t, log.String())
	require.Nil(t, d.files["run.jsonl.torn"])

	require.NoError(t, s.Append(ctx, "run", 20, note(20)))
	require.Equal(t, fmt.Sprintf(`level=WARN msg="agentgraph: moved the torn end of a journal aside" run=run file=run.jsonl offset=%d bytes=13 aside=run.jsonl.torn`+"\n", len(data)), log.String())
	require.Equal(t, fmt.Sprintf(`{"at":%d,"torn":"eyJzZXEiOjIxLCJ0aQ=="}`+"\n", len(data)), string(d.files["run.jsonl.torn"].data))
	got, err = collect(s, "run")
	require.NoError(t, err)
	require.Len(t, got, 21)

	require.NoError(t, s.Delete(ctx, "run"))
	require.Empty(t, d.files)
}

func TestCorruptError(t *testing.T) {
	data, _, _ := sampleJournal(t)
	second := int64(bytes.IndexByte(data, '\n') + 1)
	data[second+8] = '3'
	d := newMemDisk()
	d.put("run.jsonl", data)
	got, err := collect(newStore(d, quiet()), "run")
	require.Len(t, got, 1)
	require.EqualError(t, err, fmt.Sprintf(`agentgraph: run "run": journal is damaged: run.jsonl at byte %d: the line is not what was written`, second))
	var corrupt *CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, second, corrupt.Offset)
}

// TestShorter: a Store notices that a journal is shorter than it knew it.
func TestShorter(t *testing.T) {
	d := newMemDisk()
	s := newStore(d, quiet())
	for i := range 3 {
		require.NoError(t, s.Append(ctx, "run", uint64(i), note(i)))
	}
	f := d.files["run.jsonl"]
	f.data = f.data[:bytes.LastIndexByte(f.data[:len(f.data)-1], '\n')+1]
	require.ErrorIs(t, s.Append(ctx, "run", 2, note(2)), agentgraph.ErrCorrupt)
	_, err := collect(s, "run")
	require.ErrorIs(t, err, agentgraph.ErrCorrupt)
}

// TestWrongFile: a journal under the name of another run is that of neither.
func TestWrongFile(t *testing.T) {
	data, _, _ := sampleJournal(t)
	d := newMemDisk()
	d.put("other.jsonl", data)
	s := newStore(d, quiet())
	require.NoError(t, s.Append(ctx, "third", 0, note(0)))
	_, err := collect(s, "other")
	require.ErrorContains(t, err, `it is the journal of run "run"`)
	require.ErrorIs(t, s.Append(ctx, "other", 20, note(0)), agentgraph.ErrCorrupt)
	var runs []string
	var errs []error
	for run, err := range s.Runs(ctx) {
		runs, errs = append(runs, run), append(errs, err)
	}
	require.Equal(t, []string{"", "third"}, runs)
	require.ErrorIs(t, errs[0], agentgraph.ErrCorrupt)
	require.NoError(t, errs[1])
}

// TestLateAppend: an owner whose journal another Store deleted and began anew
// conflicts, though the new journal is precisely as long.
func TestLateAppend(t *testing.T) {
	d := newMemDisk()
	old, other := newStore(d, quiet()), newStore(d, quiet())
	require.NoError(t, old.Append(ctx, "run", 0, notes(0, 3)...))
	require.NoError(t, other.Delete(ctx, "run"))
	require.NoError(t, other.Append(ctx, "run", 0, notes(10, 3)...))
	for range 2 {
		require.ErrorIs(t, old.Append(ctx, "run", 3, note(3)), agentgraph.ErrConflict)
		for range old.Read(ctx, "run", 3) {
			t.Fatal("nothing is beyond")
		}
	}
	got, err := collect(old, "run")
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.NoError(t, old.Append(ctx, "run", 3, note(3)), "it has read the new one")

	require.NoError(t, old.Delete(ctx, "run"))
	require.NoError(t, other.Append(ctx, "run", 0, notes(20, 4)...))
	require.ErrorIs(t, old.Append(ctx, "run", 4, note(4)), agentgraph.ErrConflict)
}

// TestMisplaced: lines with the right checksum that no append would have written.
func TestMisplaced(t *testing.T) {
	for want, lines := range map[string][]frame.Line{
		"record 2 comes after 0": {{Life: "L", Run: "run", Seq: 2, Data: []byte("1")}},
		"record 3 comes after 1": {{Life: "L", Run: "run", Seq: 1, Data: []byte("1")}, {Seq: 3, Data: []byte("1")}},
		"in the first line":      {{Seq: 1, Data: []byte("1")}},
		"first line alone":       {{Life: "L", Run: "run", Seq: 1, Data: []byte("1")}, {Life: "L", Run: "run", Seq: 2, Data: []byte("1")}},
		`of run "else"`:          {{Life: "L", Run: "else", Seq: 1, Data: []byte("1")}},
	} {
		var data []byte
		var sum frame.Sum
		for _, l := range lines {
			data, sum = frame.Append(data, l, sum)
		}
		d := newMemDisk()
		d.put("run.jsonl", data)
		_, err := collect(newStore(d, quiet()), "run")
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		require.ErrorContains(t, err, want)
	}
}
