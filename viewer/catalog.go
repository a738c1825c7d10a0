package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

const (
	// settled is how many runs that have ended are looked at in one go, those first
	// that were not for longest. In a larger store one that is taken up again shows
	// after a few looks.
	settled = 1000

	// fresh is for how long a list is good, so that many open pages cost one look.
	fresh = time.Second
)

// catalog knows how each run of a store stands, as the page of the run says it. It
// reads of a journal only what it does not know yet. What a store has lost of the rest
// meanwhile it learns only from one who has read that again.
type catalog struct {
	store agentgraph.Store
	shelf *shelf
	now   func() time.Time

	mu       sync.Mutex
	suspects map[string]bool // runs that are not to be trusted

	turn   chan struct{} // holds one token: over all below
	runs   map[string]*summary
	looks  int
	listed time.Time
	list   listing
}

// listing is all runs as of one look, those first of which was heard last. It does
// not change.
type listing struct {
	runs    []summary
	strange []string // errors of journals of which not even the run is known
}

// print is another one when a run has come, gone, or gone on.
func (l listing) print(now time.Time) string {
	hash := fnv.New64a()
	for i := range l.runs {
		s := &l.runs[i]
		_, _ = fmt.Fprintf(hash, "%q %v %s\n", s.RunID, s.mark, s.StatusAt(now))
	}
	return strconv.FormatUint(hash.Sum64(), 16)
}

func newCatalog(store agentgraph.Store, shelf *shelf, now func() time.Time) *catalog {
	c := &catalog{store: store, shelf: shelf, now: now, turn: make(chan struct{}, 1), runs: map[string]*summary{}}
	c.turn <- struct{}{}
	return c
}

// all returns the runs. The first look reads the whole store.
func (c *catalog) all(ctx context.Context) (listing, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return listing{}, ctx.Err()
	}
	now, suspects := c.now(), c.suspected()
	if len(suspects) == 0 && !c.listed.IsZero() && now.Sub(c.listed) < fresh && !now.Before(c.listed) {
		return c.list, nil
	}
	for id := range suspects {
		delete(c.runs, id)
	}
	list, err := c.look(ctx)
	if err != nil {
		return listing{}, err
	}
	c.list, c.listed = list, now
	return list, nil
}

// suspect makes the next look read a run from its beginning.
func (c *catalog) suspect(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.suspects == nil {
		c.suspects = map[string]bool{}
	}
	c.suspects[id] = true
}

func (c *catalog) suspected() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	suspects := c.suspects
	c.suspects = nil
	return suspects
}

// forget makes the next list a fresh one.
func (c *catalog) forget() {
	<-c.turn
	c.listed = time.Time{}
	c.turn <- struct{}{}
}

func (c *catalog) look(ctx context.Context) (listing, error) {
	c.looks++
	var list listing
	known := make(map[string]*summary, len(c.runs))
	for id, err := range c.store.Runs(ctx) {
		switch {
		case err == nil:
			if known[id] = c.runs[id]; known[id] == nil {
				s := newSummary(id)
				known[id] = &s
			}
		case ctx.Err() != nil:
			return list, ctx.Err()
		default:
			list.strange = append(list.strange, err.Error())
		}
	}
	for id := range c.runs {
		if known[id] == nil {
			delete(c.runs, id)
		}
	}
	if err := c.update(ctx, known); err != nil {
		return list, err
	}
	list.runs = make([]summary, 0, len(known))
	for _, s := range known { // sorted below
		if s.Attempts > 0 || s.Status == damaged {
			list.runs = append(list.runs, *s)
		}
	}
	slices.Sort(list.strange)
	slices.SortFunc(list.runs, func(a, b summary) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.RunID, b.RunID))
	})
	return list, nil
}

// update looks at all runs that are new or go on, and at some of the others.
func (c *catalog) update(ctx context.Context, known map[string]*summary) error {
	var due, rest []*summary
	for _, s := range known { // sorted below
		if s.checked == 0 || s.Status == agentgraph.RunRunning || s.Attempts == 0 {
			due = append(due, s)
		} else {
			rest = append(rest, s)
		}
	}
	slices.SortFunc(rest, func(a, b *summary) int {
		return cmp.Or(cmp.Compare(a.checked, b.checked), strings.Compare(a.RunID, b.RunID))
	})
	todo := append(due, rest[:min(settled, len(rest))]...)
	err := each(ctx, todo, func(ctx context.Context, s *summary) error {
		err := s.update(ctx, c.store)
		if err == nil {
			s.checked = c.looks
		}
		return err
	})
	for _, s := range todo {
		if s.checked == c.looks { // also when others were not: a look that was given up is not lost
			c.runs[s.RunID] = s
		}
		if s.Status == damaged {
			c.shelf.forget(s.RunID)
		}
	}
	return err
}

// atOnce is how many journals are read at once.
const atOnce = 4

// each does something for all of a list, until there is an error, which it returns, or
// a panic, which goes on in the caller's goroutine: the service may recover it there.
func each[T any](ctx context.Context, list []T, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(atOnce, len(list)) {
		workers.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					stop(&panicked{v, debug.Stack()})
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				if err := do(ctx, list[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	workers.Wait()
	err := context.Cause(ctx)
	if p, ok := errors.AsType[*panicked](err); ok {
		panic(p)
	}
	return err
}

// panicked is what a store has panicked with, and where.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("%v\n\n%s", p.value, p.stack) }
