package resumetest

import (
	"sync"

	"github.com/seed-a2b66b4f/agentgraph"
)

// life is the store of one life of a flow, which may die. Its calls are one at a
// time, so that nobody sees an append that is about to be torn.
type life struct {
	crash                   // no append is the 0th
	most     int            // calls that a flow may make; 0: any number
	endless  chan struct{}  // closed when it makes more
	recorded map[string]int // how often each step ran whose outcome is in, in all lives
	dir      string         // where the files are that can be torn
	close    func() error

	mu      sync.Mutex
	store   agentgraph.Store
	calls   int
	appends []int    // how many records each had
	pending []string // steps that ran since the last append
	crashed bool
	failed  bool // an append failed in passing
	over    bool
	broken  error // the kit's own trouble
}

func newLife(store agentgraph.Store) *life {
	return &life{store: store, close: func() error { return nil }, endless: make(chan struct{}), recorded: map[string]int{}}
}

// outcome is what a life ended with.
type outcome struct {
	result   any
	err      error
	returned bool // else its goroutine was ended
}

func (o outcome) String() string {
	switch {
	case !o.returned:
		return "run did not return"
	case o.err != nil:
		return "run returned the error: " + o.err.Error()
	}
	return "run returned"
}

// live runs the flow until it returns or is known not to. Whatever it leaves
// behind finds the store dead.
func (l *life) live(run flow) outcome {
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() { done <- o }()
		o.result, o.err = run(l, l.ran)
		o.returned = true
	}()
	var o outcome
	select {
	case o = <-done:
	case <-l.endless:
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if err := l.close(); err != nil && l.broken == nil {
		l.broken = err
	}
	return o
}

// ran notes that a step ran to its end.
func (l *life) ran(step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, step)
}

// settle decides on the steps that ran: their outcomes are in, or lost. Nothing
// is settled once the store is dead.
func (l *life) settle(written bool) {
	if written {
		for _, step := range l.pending {
			l.recorded[step]++
		}
	}
	l.pending = nil
}
