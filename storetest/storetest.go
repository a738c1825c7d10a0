// Package storetest checks an [agentgraph.Store] against its contract. It is for
// anyone who writes one, and needs the standard library alone:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) agentgraph.Store { return mystore.New() })
//	}
//
// [RunShared] checks besides what several values over the same data owe each other.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Run checks the rules of [agentgraph.Store], one in each subtest, each on an
// empty store of its own. Open makes one, and closes it with t.Cleanup where it
// needs that. The whole makes some thousand appends. It uses one value for each
// store, so it does not see whether anything is kept when that is closed: [RunShared]
// does.
func Run(t *testing.T, open func(t *testing.T) agentgraph.Store) {
	for _, rule := range []struct {
		name  string
		check func(k kit)
	}{
		{"order", order},
		{"gaps", gaps},
		{"fields", fields},
		{"batch", batch},
		{"nothing", nothing},
		{"conflict", conflict},
		{"writers", writers},
		{"alias in", aliasIn},
		{"alias out", aliasOut},
		{"read while appending", readWhileAppending},
		{"read from within a loop", readWithin},
		{"read in part", readInPart},
		{"cancelled", cancelled},
		{"delete", deleted},
		{"late append", lateAppend},
		{"odd run IDs", oddRunIDs},
		{"bad run IDs", badRunIDs},
		{"odd values", oddValues},
		{"bad values", badValues},
		{"a large value", largeValue},
		{"many runs", manyRuns},
	} {
		t.Run(rule.name, func(t *testing.T) {
			rule.check(kit{T: t, store: open(t), ctx: t.Context()})
		})
	}
}

// kit is one store under test.
type kit struct {
	*testing.T
	store agentgraph.Store
	ctx   context.Context
}

// at is the time of the records made here.
func at() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 789_000_000, time.UTC) }

// record makes one whose data is a JSON text.
func record(data string) agentgraph.Record {
	return agentgraph.Record{Time: at(), Kind: "kind", Data: []byte(data)}
}

// numbered makes n records, whose data is a number, from `from` on.
func numbered(from, n int) []agentgraph.Record {
	list := make([]agentgraph.Record, n)
	for i := range list {
		list[i] = record(fmt.Sprint(from + i))
	}
	return list
}

// must fails the test unless err is nil.
func (k kit) must(what string, err error) {
	k.Helper()
	if err != nil {
		k.Fatalf("%s: %v", what, err)
	}
}

// is fails the test unless err is target.
func (k kit) is(what string, err, target error) {
	k.Helper()
	if !errors.Is(err, target) {
		k.Fatalf("%s: got error %v, want %v", what, err, target)
	}
}

func (k kit) append(run string, after uint64, records ...agentgraph.Record) {
	k.Helper()
	k.must(fmt.Sprintf("Append to %.40q after %d", run, after), k.store.Append(k.ctx, run, after, records...))
}

func (k kit) conflicts(run string, after uint64, records ...agentgraph.Record) {
	k.Helper()
	k.is(fmt.Sprintf("Append to %.40q after %d", run, after), k.store.Append(k.ctx, run, after, records...), agentgraph.ErrConflict)
}

// read collects a journal.
func (k kit) read(run string, after uint64) []agentgraph.Record {
	k.Helper()
	list, err := k.collect(run, after)
	k.must(fmt.Sprintf("Read of %.40q after %d", run, after), err)
	return list
}

func (k kit) collect(run string, after uint64) ([]agentgraph.Record, error) {
	var list []agentgraph.Record
	for r, err := range k.store.Read(k.ctx, run, after) {
		if err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// holds fails the test unless the journal is the data, numbered from 1.
func (k kit) holds(run string, data ...string) {
	k.Helper()
	k.holdsAfter(run, 0, data...)
}

// holdsAfter looks at what comes after a position alone.
func (k kit) holdsAfter(run string, after uint64, data ...string) {
	k.Helper()
	got := k.read(run, after)
	if len(got) != len(data) {
		k.Fatalf("run %.40q after %d: got %d records, want %d", run, after, len(got), len(data))
	}
	for i, r := range got {
		if want := after + 1 + uint64(i); r.Seq != want {
			k.Fatalf("run %.40q: record %d has Seq %d, want %d", run, i, r.Seq, want)
		}
		if string(r.Data) != data[i] {
			k.Fatalf("run %.40q: Seq %d has data %s, want %s", run, r.Seq, short(r.Data), short([]byte(data[i])))
		}
	}
}

// short is a text to show.
func short(b []byte) string {
	if len(b) > 80 {
		return fmt.Sprintf("%q... (%d bytes)", b[:80], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// runs collects the run IDs, sorted.
func (k kit) runs() []string {
	k.Helper()
	list := []string{}
	for run, err := range k.store.Runs(k.ctx) {
		k.must("Runs", err)
		list = append(list, run)
	}
	slices.Sort(list)
	return list
}

// runsAre fails the test unless those are the runs.
func (k kit) runsAre(want ...string) {
	k.Helper()
	want = slices.Sorted(slices.Values(want))
	if got := k.runs(); !slices.Equal(got, want) {
		k.Fatalf("Runs: got %d: %.400q, want %d: %.400q", len(got), got, len(want), want)
	}
}

// odd are run IDs that are in order.
func odd() []string {
	long := strings.Repeat("x", agentgraph.MaxRunID)
	return []string{
		"../x", "x", "/x", "..", ".", "./x", "a/b", `a\b`, `..\x`, "a:b", "C:", "~", "*", "a?", "-rf",
		"CON", "con", "NUL", "nul.jsonl", "com1", "LPT9.txt", "aux",
		"A", "a", "a.", "a ", " a", " ", "a%", "a%20", "%61", "%41", "a.jsonl", "x.jsonl", "x.torn",
		"é", "e\u0301", "É", "ß", "ss", "K", "k", "\u212a", "🦊", "日本語", "\u202e", "\ufeff",
		"' OR 1=1 --", "a\"b", "$HOME", "a.b", "a_b", "a.>", "a.*", "{}", "null",
		long, long[1:], long[1:] + "y", strings.ToUpper(long), strings.Repeat("🦊", agentgraph.MaxRunID/4), strings.Repeat(".", agentgraph.MaxRunID),
	}
}
