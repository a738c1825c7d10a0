package journal

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// tape is a log in memory. Before each append it does what it is told to: tell has
// the number of the append, from 0, and its lines, and may return an error in place
// of the append, or beside it.
type tape struct {
	tell func(n int, lines []Line) (write bool, err error)

	mu      sync.Mutex
	lines   []Line
	appends int
	batches []int // how many lines each append had
}

func (t *tape) Append(_ context.Context, after uint64, lines []Line) (conflict bool, err error) {
	t.mu.Lock()
	n := t.appends
	t.appends++
	t.mu.Unlock()
	write := true
	if t.tell != nil {
		write, err = t.tell(n, lines)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !write:
		return false, err
	case after != uint64(len(t.lines)):
		return true, errShort
	}
	t.add(lines...)
	t.batches = append(t.batches, len(lines))
	return false, err
}

// add writes lines as another owner would.
func (t *tape) add(lines ...Line) {
	for _, l := range lines {
		l.Seq, l.Data = uint64(len(t.lines)+1), slices.Clone(l.Data)
		t.lines = append(t.lines, l)
	}
}

func (t *tape) Read(_ context.Context, after uint64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		t.mu.Lock()
		lines := t.lines
		t.mu.Unlock()
		for _, l := range lines[min(int(after), len(lines)):] {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// open begins an attempt of a name.
func (t *tape) open(by string) (*Writer, *History, *error) {
	lost := new(error)
	w, h, err := Open(context.Background(), t, snapshot.NewKey(), began(by), func(err error) { *lost = err })
	if err != nil {
		panic(err)
	}
	return w, h, lost
}

func began(by string) func(*History) (*Draft, time.Time) {
	return func(*History) (*Draft, time.Time) {
		d := &Draft{}
		d.By = by
		return d, time.Unix(0, 0)
	}
}

// answering is a line from outside.
func answering(step string, to int) Line {
	data, _ := json.Marshal(Entry{Step: step, To: to, Value: json.RawMessage(`1`)})
	return Line{Kind: KindAnswer, Data: data}
}

// short is a step with nothing in it.
func short(w *Writer, on int, path string) *Draft {
	d := &Draft{}
	d.Kind, d.ID, d.On, d.Step, d.Index = KindStep, w.Number(), on, path, []int{0}
	return d
}
