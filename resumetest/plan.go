package resumetest

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// plan is what goes wrong in the lives of one subtest; the life after is left alone.
type plan struct {
	name    string
	crashes []crash
}

// crash is what goes wrong in one life: at which of its appends, from 1, and how.
type crash struct {
	at int
	way
}

// way is how an append goes wrong.
type way struct {
	name    string
	written bool                     // the records are in
	passing bool                     // the store lives on
	torn    func(lines [][]byte) int // how many bytes of these lines are left, where some are
}

func before() way       { return way{name: "before"} }
func after() way        { return way{name: "after", written: true} }
func failedBefore() way { return way{name: "failed before", passing: true} }
func failedAfter() way  { return way{name: "failed after", passing: true, written: true} }

func half() way {
	return way{name: "half-way, half", torn: func(lines [][]byte) int { return size(lines) / 2 }}
}

// tears are the ways to be torn in the middle of so many records.
func tears(records int) []way {
	if records == 0 {
		return nil
	}
	list := []way{
		{name: "half-way, one byte", torn: func([][]byte) int { return 1 }},
		half(),
		{name: "half-way, all but the newline", torn: func(lines [][]byte) int { return size(lines) - 1 }},
	}
	if records > 1 {
		list = append(list, way{name: "half-way, one record", torn: func(lines [][]byte) int { return len(lines[0]) }})
	}
	return list
}

func size(lines [][]byte) (n int) {
	for _, line := range lines {
		n += len(line)
	}
	return n
}

// secondLife is how many appends of a second life are crashed at.
const secondLife = 3

// plans are all for one append of the first life, which has so many records.
func plans(k, records int) []plan {
	var list []plan
	for _, w := range append([]way{before(), after(), failedBefore(), failedAfter()}, tears(records)...) {
		list = append(list, plan{w.name, []crash{{k, w}}})
	}
	for _, first := range []way{before(), after()} {
		for j := range secondLife {
			for _, second := range []way{before(), after()} {
				list = append(list, twice(crash{k, first}, crash{j + 1, second}))
			}
		}
	}
	if records > 0 {
		list = append(list, twice(crash{k, half()}, crash{1, half()}))
	}
	return list
}

func twice(first, second crash) plan {
	name := fmt.Sprintf("%s, then append %d %s", first.name, second.at, second.name)
	return plan{name, []crash{first, second}}
}

// check lives the lives of a plan, and the last one.
func (p plan) check(t *testing.T, run flow, want *ending) {
	t.Helper()
	open, recorded := p.journals(t), map[string]int{}
	var story strings.Builder
	for i, c := range append(p.crashes, crash{}) {
		l := open(t)
		l.crash, l.most, l.recorded = c, 10*want.calls+100, recorded
		o := l.live(run)
		fmt.Fprintf(&story, "\nlife %d: %s; %s", i+1, l.event(), o)
		ended, fault := l.judge(o, want)
		if fault != "" {
			t.Fatalf("%s\n%s", story.String(), fault)
		}
		if ended {
			return
		}
	}
}

// journals gives what makes a new life over the same journals each time.
func (p plan) journals(t *testing.T) func(t *testing.T) *life {
	if p.crashes[0].torn == nil {
		store := agentgraph.NewMemStore()
		return func(*testing.T) *life { return newLife(store) }
	}
	dir := t.TempDir()
	return func(t *testing.T) *life {
		t.Helper()
		store, err := filestore.Open(dir, &filestore.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		l := newLife(store)
		l.dir, l.close = dir, store.Close
		return l
	}
}
