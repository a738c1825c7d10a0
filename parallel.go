package agentgraph

import (
	"context"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// runParallel takes turns side by side. The meeting's own schedule stays the
// truth: turns are worked ahead as far as they are certain, and committed when
// the schedule comes to them.
func (m *Meeting[B]) runParallel(ctx context.Context, each bool, yield func(Turn[B], error) bool) {
	left := m.turnsLeft()
	for again := true; again; {
		c := newCrew(ctx, m, left, each)
		var err error
		if again, err = c.run(yield); err != nil {
			yield(Turn[B]{}, err)
			return
		}
		left = c.left
	}
}

// aheadPerWorker bounds the turns that are worked ahead, for each of
// Options.Parallel. The turn that is due is always allowed.
const aheadPerWorker = 64

// crew takes the turns of one run, or of the part of it that lies between two
// posts from outside. Its workers are goroutines that come and go with the work;
// the one that leads it is the caller's.
type crew[B any] struct {
	meeting *Meeting[B]
	outer   context.Context // the caller's
	ctx     context.Context // of the turns
	cancel  context.CancelFunc
	each    bool // the leader commits, to yield each turn; else workers do

	wake    chan struct{} // tells the leader that something has changed
	workers sync.WaitGroup

	mu      sync.Mutex // over all below, and over the meeting while workers commit
	ahead   *schedule.Ahead[*Post[B]]
	seats   []seat      // as far as has been worked ahead
	spare   *outcome[B] // those that have been committed
	done    []line[B]   // by entry: what has been worked ahead
	due     int32       // whose turn the schedule says it is
	quiet   bool        // nobody's
	halted  bool        // no further turn is to be started
	again   bool        // the work ahead is of no use: begin again
	err     error       // what the run ends with
	left    int         // turns that may be committed
	open    int         // turns started and not committed
	running int         // workers
	credit  int         // steps that may be spent on sharper bounds
	steps   int         // that the last such search took
}

// copies returns what gives each post that waits as one copy, for all who hear it.
func (m *Meeting[B]) copies() func(post int) *Post[B] {
	made := map[int]*Post[B]{}
	return func(post int) *Post[B] {
		p, ok := made[post]
		if !ok {
			p = new(Post[B])
			m.log.read(post, p)
			made[post] = p
		}
		return p
	}
}

func newCrew[B any](ctx context.Context, m *Meeting[B], left int, each bool) *crew[B] {
	c := &crew[B]{meeting: m, outer: ctx, each: each, left: left}
	c.ctx, c.cancel = context.WithCancel(ctx)
	c.wake = make(chan struct{}, 1)
	c.ahead = schedule.NewAhead(m.loop, m.copies())
	c.seats = append(c.seats, m.seats...)
	c.done = make([]line[B], len(m.seats))
	c.steps = len(m.seats)
	c.look()
	return c
}

func (c *crew[B]) run(yield func(Turn[B], error) bool) (again bool, err error) {
	defer c.dismiss()
	return c.lead(yield)
}

// lead sees the work through. It says whether to begin again, with a new crew.
func (c *crew[B]) lead(yield func(Turn[B], error) bool) (again bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.tell()
		for c.each && c.ready() && c.outer.Err() == nil {
			if turn, ok := c.commit(); ok && !c.show(turn, yield) {
				return false, nil
			}
		}
		switch {
		case c.again, c.err != nil:
			return c.again, c.err
		case c.quiet:
			return false, nil
		case c.outer.Err() != nil:
			return false, c.cut()
		case c.left == 0:
			return false, c.meeting.limitError(c.due)
		}
		c.hire()
		c.wait()
	}
}

// tell lets a follower hear of what has been committed.
func (c *crew[B]) tell() {
	for c.meeting.news {
		c.meeting.news = false
		c.unlocked(func() bool { c.meeting.follow.tell(); return true })
	}
}

// show yields a turn. What happens meanwhile may make the work ahead useless.
func (c *crew[B]) show(turn Turn[B], yield func(Turn[B], error) bool) bool {
	c.hire()
	turns, posted := c.meeting.turns, c.meeting.posted
	more := c.unlocked(func() bool { return yield(turn, nil) })
	c.again = c.again || turns != c.meeting.turns || posted != c.meeting.posted
	if more && !c.again {
		c.look()
	}
	return more
}

// unlocked lets others have the lock while f runs.
func (c *crew[B]) unlocked(f func() bool) bool {
	c.mu.Unlock()
	defer c.mu.Lock()
	return f()
}

// wait lets the workers work until there is something for the leader to do.
func (c *crew[B]) wait() {
	var tired <-chan time.Time
	if c.running < c.meeting.roster.options.Parallel && c.ahead.Stale() {
		// Sharper bounds may let more turns go on, but are not worth more than a
		// small part of the time that the turns take.
		timer := time.NewTimer(time.Duration(c.steps) * 200 * time.Nanosecond)
		defer timer.Stop()
		tired = timer.C
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	select {
	case <-c.wake:
	case <-c.outer.Done():
	case <-tired:
		c.mu.Lock()
		c.sharpen()
		c.mu.Unlock()
	}
}

// cut ends a run whose context has ended. The turns that have come to an end in
// their order count, unless each was to be shown.
func (c *crew[B]) cut() error {
	c.halted = true
	c.mu.Unlock()
	c.workers.Wait()
	c.mu.Lock()
	for !c.each && c.ready() {
		c.commit()
	}
	if c.err != nil {
		return c.err
	}
	return stopped(c.outer)
}

// dismiss stops all work and waits until no worker is left.
func (c *crew[B]) dismiss() {
	c.mu.Lock()
	c.halted = true
	c.mu.Unlock()
	c.cancel()
	c.workers.Wait()
}

// look asks the schedule whose turn it is. That opens nested nodes, so it must
// not be asked before a turn has been yielded.
func (c *crew[B]) look() {
	agent, _, ok := c.meeting.loop.Next()
	c.due, c.quiet = agent, !ok
}
