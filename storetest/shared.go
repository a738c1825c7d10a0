package storetest

import (
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
)

// RunShared checks what [agentgraph.Store] says of several Store values over the same
// data, as processes have them, one rule in each subtest. Share makes a place without
// data; each call of open gives one more value over it, closed with t.Cleanup where
// that is needed. It is for stores that can be shared, after [Run]. The whole makes
// some hundred appends.
func RunShared(t *testing.T, share func(t *testing.T) (open func() agentgraph.Store)) {
	for _, rule := range []struct {
		name  string
		check func(open func() kit)
	}{
		{"read", sharedRead},
		{"conflict", sharedConflict},
		{"writers", sharedWriters},
		{"read while appending", sharedReadWhileAppending},
		{"runs", sharedRuns},
		{"delete", sharedDelete},
		{"late append", sharedLateAppend},
		{"late append of a reader", sharedLateReader},
		{"going on anew", sharedAnew},
	} {
		t.Run(rule.name, func(t *testing.T) {
			open := share(t)
			rule.check(func() kit { return kit{T: t, store: open(), ctx: t.Context()} })
		})
	}
}

// sharedRead: what one appends the others read at once, and so does who comes later.
func sharedRead(open func() kit) {
	one, two := open(), open()
	two.holds("run")
	one.append("run", 0, record("0"), record("1"))
	two.holds("run", "0", "1")
	two.append("run", 2, record("2"))
	one.holds("run", "0", "1", "2")
	one.append("run", 3, record("3"))
	two.holdsAfter("run", 3, "3")
	two.holdsAfter("run", 1, "1", "2", "3")
	open().holds("run", "0", "1", "2", "3")
}

// sharedConflict: a position is compared with what all have appended, whether or not
// the value has read it.
func sharedConflict(open func() kit) {
	one, two := open(), open()
	one.append("run", 0, record(`"first"`))
	two.conflicts("run", 0, record(`"late"`))
	two.append("run", 1, record(`"second"`), record(`"third"`))
	one.conflicts("run", 1, record(`"late"`))
	one.conflicts("run", 2, record(`"late"`))
	one.conflicts("run", 4, record(`"early"`))
	one.append("run", 3)
	one.append("run", 3, record(`"fourth"`))
	two.conflicts("run", 3)
	for _, k := range []kit{one, two, open()} {
		k.holds("run", `"first"`, `"second"`, `"third"`, `"fourth"`)
	}
}

// sharedWriters: of those who want one slot exactly one gets it.
func sharedWriters(open func() kit) {
	k := open()
	var stores []agentgraph.Store
	for range 4 {
		store := open().store
		stores = append(stores, store, store)
	}
	compete(k, stores)
}

func sharedReadWhileAppending(open func() kit) { appendAndRead(open(), open()) }

func sharedRuns(open func() kit) {
	one, two := open(), open()
	two.runsAre()
	one.append("first", 0, record("1"))
	two.append("second", 0, record("1"))
	one.append("second", 1, record("2"))
	for _, k := range []kit{one, two, open()} {
		k.runsAre("first", "second")
	}
	two.must("Delete", two.store.Delete(two.ctx, "first"))
	for _, k := range []kit{one, two, open()} {
		k.runsAre("second")
	}
}

// sharedDelete: what one deletes is gone for all, and the ID is free to all.
func sharedDelete(open func() kit) {
	one, two := open(), open()
	one.append("run", 0, numbered(0, 3)...)
	two.holds("run", "0", "1", "2")
	two.must("Delete", two.store.Delete(two.ctx, "run"))
	for _, k := range []kit{one, two, open()} {
		k.holds("run")
		k.holdsAfter("run", 3)
	}
	one.must("Delete again", one.store.Delete(one.ctx, "run"))
	one.append("run", 0, record(`"new"`))
	two.holds("run", `"new"`)
	one.must("Delete", one.store.Delete(one.ctx, "run"))
	two.append("run", 0, record(`"third"`), record(`"life"`))
	one.holds("run", `"third"`, `"life"`)
}

// sharedLateAppend: an owner who appended through one value conflicts when another has
// deleted the journal, and begun it anew, at every length of it.
func sharedLateAppend(open func() kit) {
	owner, other := open(), open()
	owner.append("run", 0, numbered(0, 2)...)
	owner.append("run", 2, record("2"))
	late(owner, other)
}

// sharedLateReader is about an owner who has only read so far.
func sharedLateReader(open func() kit) {
	owner, other := open(), open()
	other.append("run", 0, numbered(0, 3)...)
	owner.holds("run", "0", "1", "2")
	late(owner, other)
}

// late deletes a run of three records and begins it anew, under the eyes of its owner.
func late(owner, other kit) {
	owner.Helper()
	other.must("Delete", other.store.Delete(other.ctx, "run"))
	owner.conflicts("run", 3, record(`"late"`))
	other.holds("run")
	other.runsAre()
	want := []string{}
	for i, r := range numbered(10, 6) {
		other.append("run", uint64(i), r)
		want = append(want, string(r.Data))
		owner.conflicts("run", 3, record(`"late"`))
		owner.conflicts("run", 3, record(`"late"`), record(`"again"`)) // the first try does not wear the fence out
	}
	other.holds("run", want...)
}

// sharedAnew: who has read the new journal can go on with it, though it is as long as
// the old one.
func sharedAnew(open func() kit) {
	one, two := open(), open()
	one.append("run", 0, numbered(0, 3)...)
	two.must("Delete", two.store.Delete(two.ctx, "run"))
	two.append("run", 0, numbered(10, 3)...)
	one.conflicts("run", 3, record(`"late"`))
	one.holds("run", "10", "11", "12")
	one.append("run", 3, record("13"))
	two.append("run", 4, record("14"))
	one.holds("run", "10", "11", "12", "13", "14")
}
