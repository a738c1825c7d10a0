package filestore

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// forever is an operation that is never reached.
const forever = 1 << 30

// parts are what a crash keeps of what was not synced.
func parts() map[string]func(tail []byte) []byte {
	return map[string]func(tail []byte) []byte{
		"nothing": func([]byte) []byte { return nil },
		"half":    func(tail []byte) []byte { return tail[:len(tail)/2] },
		"zeros":   func(tail []byte) []byte { clear(tail); return tail },
		"all":     func(tail []byte) []byte { return tail },
	}
}

// TestCrashes loses what is not synced, whole or in part, at every operation: what
// was acknowledged is there afterwards, and no part of a batch.
func TestCrashes(t *testing.T) {
	batches := []int{1, 2, 1, 3, 1}
	for name, part := range parts() {
		for at := 1; ; at++ {
			d := newMemDisk()
			d.failFrom, d.failTo, d.short = at, forever, true // nothing works once it has died
			s := newStore(d, quiet())
			have, lost := 0, 0
			for _, n := range batches {
				if s.Append(ctx, "run", uint64(have), notes(have, n)...) != nil {
					lost = n
					break
				}
				have += n
			}
			if lost == 0 {
				break
			}
			d.crash(part)
			again := newStore(d, quiet())
			have = mustHold(t, again, have, lost)
			require.NoError(t, again.Append(ctx, "run", uint64(have), notes(have, 2)...), "%s %d", name, at)
			mustHold(t, newStore(d, quiet()), have+2, 0)
		}
	}
}

// TestReadThenCrash: whatever a Read gives is on the disk, though the one who wrote
// it died at any operation, before the file or its name was synced.
func TestReadThenCrash(t *testing.T) {
	if !readersSync {
		return // on Windows alone, which cannot sync what it reads
	}
	for _, have := range []int{0, 1} {
		for _, known := range []bool{false, true} {
			seen := 0
			for at := 1; ; at++ {
				d := newMemDisk()
				writer, reader := newStore(d, quiet()), newStore(d, quiet())
				require.NoError(t, writer.Append(ctx, "run", 0, notes(0, have)...))
				if known {
					mustHold(t, reader, have, 0)
				}
				d.failFrom, d.failTo = d.ops+at, forever
				if writer.Append(ctx, "run", uint64(have), notes(have, 2)...) == nil {
					break
				}
				d.failFrom = 0
				got := mustHold(t, reader, have, 2)
				d.crash(func([]byte) []byte { return nil })
				mustHold(t, newStore(d, quiet()), got, 0)
				seen += got - have
			}
			require.Positive(t, seen, "nobody read what was not acknowledged")
		}
	}
}

// TestTornThenCrash loses what is not synced while a torn end, of two whole lines and
// a half, makes room for an append: the journal stays good, and the torn bytes are in
// it or beside it.
func TestTornThenCrash(t *testing.T) {
	source := newMemDisk()
	s := newStore(source, quiet())
	require.NoError(t, s.Append(ctx, "run", 0, note(0)))
	whole := len(source.files["run.jsonl"].data)
	require.NoError(t, s.Append(ctx, "run", 1, notes(101, 3)...))
	data := source.files["run.jsonl"].data
	data = data[:len(data)-20]

	for name, part := range parts() {
		for at, ended := 1, false; !ended; at++ {
			d := newMemDisk()
			d.put("run.jsonl", bytes.Clone(data))
			d.failFrom, d.failTo, d.short = at, forever, true
			err := newStore(d, quiet()).Append(ctx, "run", 1, notes(1, 2)...)
			ended = err == nil
			have, unsure := 1, 2
			if ended {
				have, unsure = 3, 0
			}
			d.crash(part)
			again := newStore(d, quiet())
			have = mustHold(t, again, have, unsure)
			require.True(t, holdsTorn(d, data[whole:]), "%s %d", name, at)
			require.NoError(t, again.Append(ctx, "run", uint64(have), notes(have, 2)...), "%s %d", name, at)
			mustHold(t, newStore(d, quiet()), have+2, 0)
		}
	}
}

// holdsTorn reports whether torn bytes stand in the journal, or beside it.
func holdsTorn(d *memDisk, torn []byte) bool {
	if bytes.HasSuffix(d.files["run.jsonl"].data, torn) {
		return true
	}
	beside := d.files["run.jsonl.torn"]
	return beside != nil && slices.ContainsFunc(bytes.Split(beside.data, []byte("\n")), func(line []byte) bool {
		var a aside
		return json.Unmarshal(line, &a) == nil && bytes.Equal(a.Torn, torn)
	})
}

// TestDeleteThenCrash: what was deleted stays so, whoever finds it half done.
func TestDeleteThenCrash(t *testing.T) {
	data, whole, _ := sampleJournal(t)
	nothing := func([]byte) []byte { return nil }
	for at, ended := 1, false; !ended; at++ {
		for _, again := range []bool{false, true} {
			d := newMemDisk()
			d.put("run.jsonl", bytes.Clone(data))
			d.put("run.jsonl.torn", []byte("{}\n"))
			d.failFrom, d.failTo = at, forever
			ended = newStore(d, quiet()).Delete(ctx, "run") == nil
			d.failFrom = 0
			if again {
				require.NoError(t, newStore(d, quiet()).Delete(ctx, "run"))
			}
			d.crash(nothing)
			if again || ended {
				require.Empty(t, d.files, "%d", at)
				continue
			}
			got, err := collect(newStore(d, quiet()), "run")
			require.NoError(t, err)
			require.Equal(t, whole, got, "the names were not synced")
		}
	}
}
