package resumetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"

	"github.com/seed-a2b66b4f/agentgraph"
)

var _ agentgraph.Store = (*life)(nil)

// Append implements [agentgraph.Store].
func (l *life) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.enter(); err != nil {
		return err
	}
	l.appends = append(l.appends, len(records))
	if len(l.appends) == l.crash.at {
		return l.disturb(ctx, runID, after, records)
	}
	err := l.store.Append(ctx, runID, after, records...)
	if err == nil && len(records) > 0 {
		l.settle(true)
	}
	return err
}

var errPassing = errors.New("the append failed in passing (resumetest)")

// disturb is the append that goes wrong. What the store below says of it is lost.
func (l *life) disturb(ctx context.Context, runID string, after uint64, records []agentgraph.Record) error {
	l.crashed, l.failed = !l.passing, l.passing
	written := false
	if l.written || l.torn != nil {
		written = l.store.Append(ctx, runID, after, records...) == nil && len(records) > 0
	}
	if l.torn != nil && written {
		l.broken = tear(l.dir, runID, len(records), l.torn)
		written = false
	}
	l.settle(written)
	if l.passing {
		return fmt.Errorf("%srun %q: %w", prefix, runID, errPassing)
	}
	return l.dead()
}

// Read implements [agentgraph.Store]. It gives what was there when the loop began,
// until the store dies; the end is an answer too.
func (l *life) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return held(l, func() iter.Seq2[agentgraph.Record, error] { return l.store.Read(ctx, runID, after) })
}

// Runs implements [agentgraph.Store], as Read does.
func (l *life) Runs(ctx context.Context) iter.Seq2[string, error] {
	return held(l, func() iter.Seq2[string, error] { return l.store.Runs(ctx) })
}

// Delete implements [agentgraph.Store].
func (l *life) Delete(ctx context.Context, runID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.enter(); err != nil {
		return err
	}
	return l.store.Delete(ctx, runID)
}

// item is one thing that a loop gives.
type item[T any] struct {
	value T
	err   error
}

// held takes all that a loop gives before it gives any of it, so that the body may
// call the store.
func held[T any](l *life, loop func() iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, it := range collect(l, loop) {
			if err := l.alive(); err != nil {
				yield(*new(T), err)
				return
			}
			if !yield(it.value, it.err) {
				return
			}
		}
		if err := l.alive(); err != nil {
			yield(*new(T), err)
		}
	}
}

func collect[T any](l *life, loop func() iter.Seq2[T, error]) []item[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enter() != nil {
		return nil // the loop asks whether the store is alive
	}
	var items []item[T]
	for value, err := range loop() {
		items = append(items, item[T]{value, err})
	}
	return items
}

func (l *life) alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead()
}

// enter begins a call. A flow that makes too many is ended where it calls, as
// nothing else would end it.
func (l *life) enter() error {
	if !l.over {
		l.calls++
		if l.tooMany() && l.calls == l.most+1 {
			close(l.endless)
		}
	}
	if l.tooMany() {
		runtime.Goexit()
	}
	return l.dead()
}

func (l *life) tooMany() bool { return l.most > 0 && l.calls > l.most }

func (l *life) dead() error {
	if l.crashed || l.over {
		return fmt.Errorf("%s%w", prefix, ErrCrash)
	}
	return nil
}
