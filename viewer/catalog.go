package viewer

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

const (
	// fresh is for how long a list is good, so that many open pages cost one look. One
	// that lacks runs is good for soon.
	fresh = time.Second
	soon  = fresh / 4

	// A look reads runs that it does not know yet for about firstTime, and looks for
	// as long as againTime whether those that it knows have changed: once for those
	// that may well have, and once for the others. So what has changed in a large or
	// slow store shows after a few looks. A single journal is read to its end.
	firstTime = 100 * time.Millisecond
	againTime = 50 * time.Millisecond

	// atLeast is how many runs are read each time, however long that takes.
	atLeast = 32
)

// catalog knows how each run of a store stands, as the page of the run says it. It
// reads of a journal only what it does not know yet. What a store has lost of the rest
// meanwhile it learns only from one who has read that again.
type catalog struct {
	store agentgraph.Store
	shelf *shelf
	now   func() time.Time
	limit func(time.Duration) (over func() bool) // says when so much time has passed

	mu       sync.Mutex
	suspects map[string]bool // runs that are not to be trusted
	shown    map[string]bool // runs on the page that was made last

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
	unread  int      // how many runs are not there yet
	strange []string // errors of journals of which not even the run is known
}

// print is another one when a run has come, gone, or gone on.
func (l listing) print(now time.Time) string {
	hash := fnv.New64a()
	_, _ = fmt.Fprintln(hash, l.unread)
	for i := range l.runs {
		s := &l.runs[i]
		_, _ = fmt.Fprintf(hash, "%q %v %s\n", s.RunID, s.mark, s.StatusAt(now))
	}
	return strconv.FormatUint(hash.Sum64(), 16)
}

func newCatalog(store agentgraph.Store, shelf *shelf, now func() time.Time) *catalog {
	c := &catalog{store: store, shelf: shelf, now: now, limit: limit, turn: make(chan struct{}, 1), runs: map[string]*summary{}}
	c.turn <- struct{}{}
	return c
}

func limit(d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return time.Now().After(end) }
}

// all returns the runs, in a large store only some of them at first.
func (c *catalog) all(ctx context.Context) (listing, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return listing{}, ctx.Err()
	}
	now, suspects := c.now(), c.suspected()
	good := fresh
	if c.list.unread > 0 {
		good = soon
	}
	if len(suspects) == 0 && !c.listed.IsZero() && now.Sub(c.listed) < good && !now.Before(c.listed) {
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

// show notes which runs somebody sees.
func (c *catalog) show(shown map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown = shown
}

// lastShown is what somebody sees; it does not change.
func (c *catalog) lastShown() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

// forget makes the next list a fresh one, which tells of what a run has done.
func (c *catalog) forget(id string) {
	<-c.turn
	c.listed = time.Time{}
	if s := c.runs[id]; s != nil {
		s.checked = 1 // before all others
	}
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
		switch {
		case s.checked == 0:
			list.unread++
		case s.Attempts > 0 || s.Status == damaged:
			list.runs = append(list.runs, *s)
		}
	}
	slices.Sort(list.strange)
	slices.SortFunc(list.runs, func(a, b summary) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.RunID, b.RunID))
	})
	return list, nil
}

// update looks at runs as long as it may: at those that may well have changed, then at
// those that are new, then at the others, each time at those first that were not looked
// at for longest.
func (c *catalog) update(ctx context.Context, known map[string]*summary) error {
	var lively, unread, settled []*summary
	shown := c.lastShown()
	for _, s := range known { // sorted below
		switch {
		case s.checked == 0:
			unread = append(unread, s)
		case s.lively() || shown[s.RunID]:
			lively = append(lively, s)
		default:
			settled = append(settled, s)
		}
	}
	err := c.read(ctx, lively, againTime)
	if err == nil {
		err = c.read(ctx, unread, firstTime)
	}
	if err == nil && !slices.ContainsFunc(unread, func(s *summary) bool { return s.checked == 0 }) {
		err = c.read(ctx, settled, againTime)
	}
	return err
}

// lively says whether a run may well have gone on.
func (s *summary) lively() bool {
	switch s.Status {
	case agentgraph.RunRunning, agentgraph.RunWaiting, agentgraph.RunAnswered:
		return true
	}
	return s.Attempts == 0
}

// read looks at runs until there was time enough for it.
func (c *catalog) read(ctx context.Context, todo []*summary, enough time.Duration) error {
	slices.SortFunc(todo, func(a, b *summary) int {
		return cmp.Or(cmp.Compare(a.checked, b.checked), strings.Compare(a.RunID, b.RunID))
	})
	err := each(ctx, todo, c.limit(enough), func(ctx context.Context, s *summary) error {
		err := s.update(ctx, c.store)
		if err == nil {
			s.checked = c.looks
		}
		return err
	})
	for _, s := range todo {
		if s.checked != c.looks {
			continue
		}
		c.runs[s.RunID] = s // also when others were not: a look that was given up is not lost
		if s.Status == damaged {
			c.shelf.forget(s.RunID)
		}
	}
	return err
}
