// Package resumetest checks that a flow picks up after a crash at any point as if
// there had been none. It is for anyone whose flow keeps its progress in an
// [agentgraph.Store], and needs the standard library alone:
//
//	func TestOrderSurvives(t *testing.T) {
//		resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
//			return placeOrder(t.Context(), store, "order/17")
//		})
//	}
//
// A failing subtest is named after the crash and can be run alone:
//
//	--- FAIL: TestOrderSurvives/append_7/after
//	    life 1: crashed at append 7, after; run returned the error: ...
//	    life 2: undisturbed; run returned
//	    the result is not that of a run without crashes
//	     got ["reserve","pay","pay","ship"]
//	    want ["reserve","pay","ship"]
package resumetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
)

const prefix = "agentgraph: "

// ErrCrash is what every call to a store fails with from the store's crash on.
var ErrCrash = errors.New("the store has crashed (resumetest)")

// CrashEverywhere runs a flow to its end on an empty store, and counts its appends.
// Then it does so again for each append and each way to go wrong there, in a
// subtest such as "append 7/after":
//
//   - before: nothing is written, and the store is dead: this call and all later
//     ones are [ErrCrash].
//   - after: the records are in, but the answer is lost: the store is dead.
//   - half-way: a part of the bytes reached the disk, and the store is dead. These
//     are on a [filestore.Store], which mends the end when it is opened again; all
//     others are in memory.
//   - failed before, failed after: this call alone returns an error.
//
// After a crash run is called again with a new store over the same journals, as by
// a new process. The second life crashes too, in further subtests, at its first,
// second and third append.
//
// A life whose store is dead must end in an error, which is best one that wraps
// ErrCrash, and the next life begins. One that met a passing failure may end in an
// error, or go on to the end. Any other life must end as the run without crashes
// did: with the same result, compared as JSON (the order of keys does not count,
// numbers are compared digit by digit, null is not absence), and an error of the
// same text, but for the attempt in an [agentgraph.StepError]. So leave out of the
// result what differs from run to run, such as times; CrashEverywhere fails at once
// if two runs without crashes differ.
//
// A flow that goes on calling the store, ten times as often as without crashes and
// more, fails the test as one that does not end. One that waits for something else
// is ended by go test.
//
// Appends are done one at a time, and counted in the order in which they come. A
// flow with steps at once may come to fewer than counted; then that crash does not
// take place. For n appends there are at most 21 n subtests of two or three runs.
// An append to files costs a sync, and each append has up to 5 subtests on files:
// some ten appends are plenty for most flows.
func CrashEverywhere(t *testing.T, run func(store agentgraph.Store) (result any, err error)) {
	t.Helper()
	CrashEverywhereCounting(t, func(store agentgraph.Store, _ func(string)) (any, error) { return run(store) })
}

// CrashEverywhereCounting is [CrashEverywhere] for a flow that takes one step at a
// time, and checks besides that no step is executed again once its outcome is in
// the journal. The last thing in the body of each step that matters (a model is
// called, money is spent) is ran(step):
//
//	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(step string)) (any, error) {
//		flow := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
//			return s.Step("pay", func(s *agentgraph.Step) error {
//				s.Set("receipt", pay())
//				ran("pay")
//				return nil
//			})
//		}, &agentgraph.ResumableOptions{Store: store})
//		...
//
// The first append that writes after ran(step) is taken for the one that holds the
// step's outcome. So steps with other steps inside them must not call it, nor steps
// that may be under way with others: their executions cannot be told apart by
// looking at the store. A step executed more than once under one name is allowed as
// many as without crashes. What runs on after the store is dead is not counted.
func CrashEverywhereCounting(t *testing.T, run func(store agentgraph.Store, ran func(step string)) (result any, err error)) {
	t.Helper()
	want := undisturbed(t, run)
	for i, records := range want.appends {
		t.Run(fmt.Sprintf("append %d", i+1), func(t *testing.T) {
			for _, p := range plans(i+1, records) {
				t.Run(p.name, func(t *testing.T) { p.check(t, run, want) })
			}
		})
	}
}

// flow is what is under test.
type flow = func(store agentgraph.Store, ran func(step string)) (result any, err error)

// undisturbed runs a flow without crashes, twice, to see that it can be compared.
func undisturbed(t *testing.T, run flow) *ending {
	t.Helper()
	var want *ending
	for range 2 {
		l := newLife(agentgraph.NewMemStore())
		o := l.live(run)
		if fault := l.fault(o); fault != "" {
			t.Fatal(fault)
		}
		if len(l.appends) == 0 {
			t.Fatal("the flow appends nothing, so there is nowhere to crash")
		}
		got, err := l.ending(o)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		} else if difference := got.differs(want); difference != "" {
			t.Fatalf("two runs without crashes differ (leave out of the result what is not the same each time): %s", difference)
		}
	}
	return want
}
