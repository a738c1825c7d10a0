package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

func order(k kit) {
	k.holds("run")
	var want []string
	for i := range 20 {
		k.append("run", uint64(i), record(fmt.Sprint(i)))
		want = append(want, fmt.Sprint(i))
	}
	k.holds("run", want...)
	for after := range 21 {
		k.holdsAfter("run", uint64(after), want[after:]...)
	}
	if got := k.read("run", 21); len(got) != 0 {
		k.Errorf("Read beyond the end: got %d records, want 0", len(got))
	}
	if got := k.read("run", 1<<64-1); len(got) != 0 {
		k.Errorf("Read far beyond the end: got %d records, want 0", len(got))
	}
}

// gaps: what a caller writes as Seq counts for nothing, and no append leaves one.
func gaps(k kit) {
	k.conflicts("run", 1, record("1"))
	k.conflicts("run", 1<<64-1, record("1"))
	k.holds("run")
	odd := record("1")
	odd.Seq = 7
	k.append("run", 0, odd, odd)
	k.conflicts("run", 3, record("3"))
	k.conflicts("run", 7, record("3"))
	k.append("run", 2, odd)
	k.holds("run", "1", "1", "1")
}

func fields(k kit) {
	east := time.FixedZone("east", 3*60*60)
	times := []time.Time{{}, at(), at().In(east), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Now()}
	kinds := []string{"", "kind", "Kind", `"\`, "日本語", "<&>", "a\nb", "\u2028"}
	var in []agentgraph.Record
	for _, t := range times {
		for _, kind := range kinds {
			in = append(in, agentgraph.Record{Time: t, Kind: kind, Data: []byte("1")})
		}
	}
	k.append("run", 0, in...)
	got := k.read("run", 0)
	if len(got) != len(in) {
		k.Fatalf("got %d records, want %d", len(got), len(in))
	}
	for i, r := range got {
		if !r.Time.Equal(in[i].Time) || r.Time.Location() != time.UTC {
			k.Errorf("Seq %d: time %v, want %v", r.Seq, r.Time, in[i].Time.UTC())
		}
		if r.Kind != in[i].Kind {
			k.Errorf("Seq %d: kind %q, want %q", r.Seq, r.Kind, in[i].Kind)
		}
	}
}

// batch: all records of an append or none.
func batch(k kit) {
	k.append("run", 0, numbered(0, 3)...)
	k.append("run", 3, numbered(3, 5)...)
	k.conflicts("run", 7, numbered(7, 3)...)
	k.conflicts("run", 0, numbered(0, 9)...)
	k.holds("run", "0", "1", "2", "3", "4", "5", "6", "7")

	bad := append(numbered(8, 2), record("{"))
	k.is("Append of a batch with a bad record", k.store.Append(k.ctx, "run", 8, bad...), agentgraph.ErrBadRecord)
	k.is("Append of a first batch with a bad record", k.store.Append(k.ctx, "other", 0, bad...), agentgraph.ErrBadRecord)
	k.holds("run", "0", "1", "2", "3", "4", "5", "6", "7")
	k.runsAre("run")
}

// nothing: an append without records only compares.
func nothing(k kit) {
	k.append("run", 0)
	k.conflicts("run", 1)
	k.runsAre()
	k.append("run", 0, record("1"))
	k.append("run", 1)
	k.conflicts("run", 0)
	k.holds("run", "1")
}

func conflict(k kit) {
	k.append("run", 0, record(`"first"`))
	k.conflicts("run", 0, record(`"late"`))
	k.append("run", 1, record(`"second"`))
	k.conflicts("run", 0, record(`"late"`))
	k.conflicts("run", 1, record(`"late"`))
	k.conflicts("run", 3, record(`"early"`))
	k.holds("run", `"first"`, `"second"`)
	k.append("run", 2, record(`"third"`))
	k.append("other", 0, record("1"))
	k.holds("run", `"first"`, `"second"`, `"third"`)
	k.holds("other", "1")
}

// writers: of those who want one slot exactly one gets it.
func writers(k kit) { compete(k, slices.Repeat([]agentgraph.Store{k.store}, 8)) }

// compete lets a writer for each of the stores append to one slot after another.
func compete(k kit, stores []agentgraph.Store) {
	k.Helper()
	const slots = 12
	for slot := range uint64(slots) {
		errs := make([]error, len(stores))
		var all sync.WaitGroup
		for w, store := range stores {
			all.Go(func() { errs[w] = store.Append(k.ctx, "run", slot, record(fmt.Sprint(w))) })
		}
		all.Wait()
		k.holdsAfter("run", slot, fmt.Sprint(winner(k, slot, errs)))
	}
}

// winner is the one writer whose append had no error.
func winner(k kit, slot uint64, errs []error) int {
	k.Helper()
	winner := -1
	for w, err := range errs {
		switch {
		case err == nil && winner >= 0:
			k.Fatalf("slot %d: writers %d and %d both win", slot+1, winner, w)
		case err == nil:
			winner = w
		case !errors.Is(err, agentgraph.ErrConflict):
			k.Fatalf("slot %d: writer %d: got error %v, want %v", slot+1, w, err, agentgraph.ErrConflict)
		}
	}
	if winner < 0 {
		k.Fatalf("slot %d: nobody wins", slot+1)
	}
	return winner
}

func scribble(b []byte) {
	for i := range b {
		b[i] = '9'
	}
}

func aliasIn(k kit) {
	in := []agentgraph.Record{record("111"), record("222")}
	k.append("run", 0, in...)
	scribble(in[0].Data)
	in[1] = record("333")
	k.holds("run", "111", "222")

	// One text with room behind, as in records cut from one buffer.
	text := []byte("444 555")
	k.append("run", 2, agentgraph.Record{Data: text[:3]}, agentgraph.Record{Data: text[4:]})
	if string(text) != "444 555" {
		k.Errorf("Append changed what it was given to %s", text)
	}
	scribble(text)
	k.holds("run", "111", "222", "444", "555")
}

func aliasOut(k kit) {
	k.append("run", 0, record("111"), record("222"), record("333"))
	for r, err := range k.store.Read(k.ctx, "run", 0) {
		k.must("Read", err)
		scribble(r.Data)
		_ = append(r.Data, "    9999999999999"...)
	}
	k.holds("run", "111", "222", "333")
	one, two := k.read("run", 0), k.read("run", 0)
	scribble(one[1].Data)
	if string(two[1].Data) != "222" {
		k.Errorf("two readers share one record: %s", two[1].Data)
	}
	if string(one[0].Data)+string(one[2].Data) != "111333" {
		k.Errorf("records of one reader share memory")
	}
}

func readWhileAppending(k kit) { appendAndRead(k, k) }

// appendAndRead: a reader always sees whole batches, from the first on.
func appendAndRead(writer, k kit) {
	k.Helper()
	const batches, size = 40, 3
	done := make(chan error, 1)
	go func() {
		var err error
		for b := 0; b < batches && err == nil; b++ {
			err = writer.store.Append(k.ctx, "run", uint64(b*size), numbered(b*size, size)...)
		}
		done <- err
	}()
	seen := 0
	for {
		var failed error
		ended := false
		select {
		case failed = <-done:
			ended = true
		default:
		}
		got, err := k.collect("run", 0)
		if fault := whole(got, seen, size); err == nil && fault != "" {
			err = errors.New(fault)
		}
		if err != nil && !ended {
			failed = <-done // nobody is left at work
		}
		k.must("Read", err)
		k.must("Append", failed)
		if seen = len(got); ended {
			break
		}
	}
	if seen != batches*size {
		k.Errorf("got %d records in the end, want %d", seen, batches*size)
	}
}

// whole tells what is wrong with a journal of numbered records in batches.
func whole(got []agentgraph.Record, atLeast, size int) string {
	for i, r := range got {
		if r.Seq != uint64(i+1) || string(r.Data) != fmt.Sprint(i) {
			return fmt.Sprintf("record %d has Seq %d and data %s", i, r.Seq, r.Data)
		}
	}
	if len(got) < atLeast {
		return fmt.Sprintf("a later reader sees %d records, an earlier one saw %d", len(got), atLeast)
	}
	if len(got)%size != 0 {
		return fmt.Sprintf("a reader sees %d records, a part of a batch of %d", len(got), size)
	}
	return ""
}

// readWithin: the body of a loop may use the store.
func readWithin(k kit) {
	k.append("run", 0, numbered(0, 3)...)
	seen := 0
	for r, err := range k.store.Read(k.ctx, "run", 0) {
		k.must("Read", err)
		if r.Seq > 3 {
			break
		}
		seen++
		k.append("run", uint64(2+seen), record(fmt.Sprint(2+seen)))
		k.append("other", uint64(seen-1), record("1"))
		k.runs()
	}
	if seen != 3 {
		k.Errorf("got %d records, want 3", seen)
	}
	k.holds("run", "0", "1", "2", "3", "4", "5")
}

// readInPart: a loop may be left, entered again, and asked for twice.
func readInPart(k kit) {
	k.append("run", 0, numbered(0, 5)...)
	journal := k.store.Read(k.ctx, "run", 1)
	for range 3 {
		var first string
		for r, err := range journal {
			k.must("Read", err)
			first = string(r.Data)
			break
		}
		if first != "1" {
			k.Fatalf("got data %q first, want 1", first)
		}
	}
	k.append("other", 0, record("1"))
	for _, err := range k.store.Runs(k.ctx) {
		k.must("Runs", err)
		break
	}
	k.append("run", 5, record("5"))
	k.holds("run", "0", "1", "2", "3", "4", "5")
}

// cancelled: a context that has ended stops every call, and what Append did not
// do is not there.
func cancelled(k kit) {
	k.append("run", 0, numbered(0, 3)...)
	ctx, cancel := context.WithCancel(k.ctx)
	cancel()
	k.is("Append", k.store.Append(ctx, "run", 3, record("3")), context.Canceled)
	k.is("Delete", k.store.Delete(ctx, "run"), context.Canceled)
	var failed error
	for _, err := range k.store.Read(ctx, "run", 0) {
		failed = err
	}
	k.is("Read", failed, context.Canceled)
	failed = nil
	for _, err := range k.store.Runs(ctx) {
		failed = err
	}
	k.is("Runs", failed, context.Canceled)
	k.holds("run", "0", "1", "2")

	cancelledInLoop(k)
	k.append("run", 3, record("3"))
	k.holds("run", "0", "1", "2", "3")
}

// cancelledInLoop: the loop may stop with the error, or give what the store has at
// hand; what it gives is in order.
func cancelledInLoop(k kit) {
	ctx, cancel := context.WithCancel(k.ctx)
	defer cancel()
	last := uint64(0)
	for r, err := range k.store.Read(ctx, "run", 0) {
		cancel()
		if err != nil {
			k.is("Read", err, context.Canceled)
			continue
		}
		if r.Seq != last+1 {
			k.Errorf("got Seq %d after %d", r.Seq, last)
		}
		last = r.Seq
	}
}

func deleted(k kit) {
	k.must("Delete of an unknown run", k.store.Delete(k.ctx, "run"))
	k.append("run", 0, numbered(0, 3)...)
	k.append("other", 0, record("1"))
	k.must("Delete", k.store.Delete(k.ctx, "run"))
	k.holds("run")
	k.runsAre("other")
	k.append("run", 0, record(`"new"`))
	k.append("run", 1, record(`"life"`))
	k.holds("run", `"new"`, `"life"`)
	k.holds("other", "1")
	k.runsAre("other", "run")
	k.must("Delete", k.store.Delete(k.ctx, "run"))
	k.must("Delete again", k.store.Delete(k.ctx, "run"))
	k.holds("run")
}

// lateAppend: an owner whose journal was deleted conflicts, on the empty journal
// and on a new one of another length.
func lateAppend(k kit) {
	k.append("run", 0, numbered(0, 3)...)
	k.must("Delete", k.store.Delete(k.ctx, "run"))
	k.conflicts("run", 3, record(`"late"`))
	k.holds("run")
	k.runsAre()
	for i := range 6 {
		if i != 3 {
			k.conflicts("run", 3, record(`"late"`))
		}
		k.append("run", uint64(i), record(fmt.Sprint(i)))
	}
	k.conflicts("run", 3, record(`"late"`))
	k.holds("run", "0", "1", "2", "3", "4", "5")
}

func oddRunIDs(k kit) {
	ids := odd()
	for i, id := range ids {
		k.append(id, 0, record(fmt.Sprint(i)))
	}
	for i, id := range ids {
		k.append(id, 1, record(fmt.Sprint(-i)))
	}
	for i, id := range ids {
		k.holds(id, fmt.Sprint(i), fmt.Sprint(-i))
	}
	k.runsAre(odd()...)
	for i, id := range ids {
		k.must("Delete", k.store.Delete(k.ctx, id))
		k.holds(id)
		if i+1 < len(ids) {
			k.holds(ids[i+1], fmt.Sprint(i+1), fmt.Sprint(-(i + 1)))
		}
	}
	k.runsAre()
}

func badRunIDs(k kit) {
	for _, id := range []string{
		"", "\x00", "a\x00b", "a\nb", "\t", "\x7f", "\u0085", "\xff", "a\xc3", "\xed\xa0\x80",
		strings.Repeat("x", agentgraph.MaxRunID+1), strings.Repeat("é", agentgraph.MaxRunID/2) + "x",
	} {
		k.is(fmt.Sprintf("Append to %.20q", id), k.store.Append(k.ctx, id, 0, record("1")), agentgraph.ErrBadRunID)
		k.is(fmt.Sprintf("Delete of %.20q", id), k.store.Delete(k.ctx, id), agentgraph.ErrBadRunID)
		_, err := k.collect(id, 0)
		k.is(fmt.Sprintf("Read of %.20q", id), err, agentgraph.ErrBadRunID)
	}
	k.runsAre()
}

func oddValues(k kit) {
	values := []string{
		"9007199254740993", "-0", "1.0", "1e400", "0.1000000000000000055511151231257827", strings.Repeat("9", 400),
		`"\u0000"`, `"\ud800"`, `"\u00e9"`, `"é"`, `"\/"`, `"\u003c<&>"`, "\"\u2028\"", `"🦊"`, `"\"\\\n"`,
		`{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"":null}`, `{"\u0000":0}`, "[]", "{}", "null", "true", `""`,
		`{"x":1,"more":true}`, `{"seq":1,"crc":"00000000"}`, `{"__proto__":1,"$ref":2}`, `"\n"`, "\"a\x7fb\"",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
	}
	for i, v := range values {
		k.append("run", uint64(i), record(v))
	}
	k.holds("run", values...)

	// White space between tokens is all that may go.
	k.append("loose", 0, record(" {\r\n\t\"a b\" : [ 1 , 2 ] } \n"))
	k.holds("loose", `{"a b":[1,2]}`)
}

func badValues(k kit) {
	k.append("run", 0, record("1"))
	for _, v := range []string{"", " ", "{", "nul", "NaN", "01", "1 2", "'a'", "\"\xff\"", "\"\xed\xa0\x80\"", "\"a\nb\"", "\"\x00\"", "1\x00", `{"a":1,}`, "\ufeff1"} {
		k.is(fmt.Sprintf("data %q", v), k.store.Append(k.ctx, "run", 1, record(v)), agentgraph.ErrBadRecord)
	}
	k.is("no data", k.store.Append(k.ctx, "run", 1, agentgraph.Record{Kind: "kind"}), agentgraph.ErrBadRecord)
	k.is("bad kind", k.store.Append(k.ctx, "run", 1, agentgraph.Record{Kind: "\xff", Data: []byte("1")}), agentgraph.ErrBadRecord)
	for _, year := range []int{-1, 10_000} {
		r := record("1")
		r.Time = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		k.is(fmt.Sprintf("year %d", year), k.store.Append(k.ctx, "run", 1, r), agentgraph.ErrBadRecord)
	}
	k.holds("run", "1")
}

func largeValue(k kit) {
	large := `"` + strings.Repeat("0123456789abcdef", 1<<16) + `"`
	k.append("run", 0, record("1"), record(large), record("2"))
	k.append("run", 3, record(large))
	k.append("run", 4, record("3"))
	k.holds("run", "1", large, "2", large, "3")
}

func manyRuns(k kit) {
	const n = 300
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf("run-%d", i))
		k.append(ids[i], 0, record(fmt.Sprint(i)))
	}
	k.runsAre(ids...)
	for i := range n {
		k.append(ids[i], 1, record(fmt.Sprint(n+i)))
		if i%2 == 0 {
			k.must("Delete", k.store.Delete(k.ctx, ids[i]))
		}
	}
	var left []string
	for i := range n {
		if i%2 == 1 {
			left = append(left, ids[i])
			k.holds(ids[i], fmt.Sprint(i), fmt.Sprint(n+i))
		}
	}
	k.runsAre(left...)
}
