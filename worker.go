package agentgraph

import (
	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// outcome is a turn that has been worked ahead.
type outcome[B any] struct {
	attempt[B]
	fault error                    // an address that is not the agent's
	sent  []schedule.Out[*Post[B]] // as they will be committed
	after *outcome[B]
}

// line is the outcomes of one agent, oldest first.
type line[B any] struct{ first, last *outcome[B] }

// hire starts a worker if there is work for one more.
func (c *crew[B]) hire() {
	if c.halted || c.running >= c.meeting.roster.options.Parallel || !c.work() {
		return
	}
	c.running++
	c.workers.Add(1)
	go c.worker()
}

// work says whether a turn could be started.
func (c *crew[B]) work() bool {
	if c.quiet {
		return false
	}
	return c.dueWaits() || c.may() && c.ahead.Ready()
}

// dueWaits says whether the turn that is due is still to be started.
func (c *crew[B]) dueWaits() bool {
	return c.due != schedule.None && c.done[c.due].first == nil && c.ahead.Waits(c.due)
}

// may says whether a turn may be started that is not due.
func (c *crew[B]) may() bool {
	return c.open/aheadPerWorker < c.meeting.roster.options.Parallel && (c.left < 0 || c.open < c.left)
}

// worker takes turns until there is none to take.
func (c *crew[B]) worker() {
	var o *outcome[B]
	c.mu.Lock()
	defer func() {
		if o != nil { // the agent has called runtime.Goexit
			c.mu.Lock()
			c.finish(o)
		}
		c.running--
		c.hire()
		c.nudge()
		c.mu.Unlock()
		c.workers.Done()
	}()
	for {
		if o = c.start(); o == nil {
			return
		}
		c.hire()
		c.mu.Unlock()
		c.perform(o)
		c.mu.Lock()
		c.finish(o)
	}
}

func (c *crew[B]) perform(o *outcome[B]) {
	if o.take(c.ctx); o.err != nil {
		return
	}
	o.keep()
	if o.fault = o.address(); o.fault == nil {
		o.sent = o.stamped(c.seats[o.entry].made)
	}
}

// nudge wakes the leader.
func (c *crew[B]) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// start picks the turn that is due, or the earliest of those that are certain.
func (c *crew[B]) start() *outcome[B] {
	if c.halted || c.quiet {
		return nil
	}
	agent, in, ok := c.pick()
	if !ok {
		return nil
	}
	c.open++
	c.credit += stepsPerTurn
	s := &c.seats[agent]
	o := c.blank()
	o.attempt = attempt[B]{roster: c.meeting.roster, entry: agent, n: s.turns, in: *in, state: s.state}
	return o
}

func (c *crew[B]) pick() (agent int32, in *Post[B], ok bool) {
	if c.dueWaits() {
		if in, ok = c.ahead.StartDue(c.due); ok {
			return c.due, in, true
		}
	}
	if !c.may() {
		return 0, nil, false
	}
	if !c.ahead.Ready() && c.ahead.Stale() && c.credit >= c.steps {
		c.sharpen()
	}
	return c.ahead.Start()
}

// stepsPerTurn is how many steps each turn pays for towards sharper bounds.
const stepsPerTurn = 32

func (c *crew[B]) sharpen() {
	c.credit = 0
	c.steps = c.ahead.Refresh()
}

// finish takes the outcome of a turn.
func (c *crew[B]) finish(o *outcome[B]) {
	l := &c.done[o.entry]
	if l.first == nil {
		l.first = o
	} else {
		l.last.after = o
	}
	l.last = o
	if o.err != nil || o.fault != nil {
		c.ahead.Fail(o.entry)
	} else {
		s := &c.seats[o.entry]
		s.state = o.next
		s.turns++
		s.made += len(o.sent)
		c.ahead.Finish(o.entry, o.sent)
	}
	if c.each {
		c.nudge()
		return
	}
	for !c.halted && c.ready() {
		c.commit()
	}
	if c.meeting.news {
		c.nudge()
	}
}

// ready says whether the turn that is due has been taken, and may be committed.
func (c *crew[B]) ready() bool {
	return c.due != schedule.None && !c.again && c.err == nil && c.left != 0 && c.done[c.due].first != nil
}

// commit commits the turn that is due.
func (c *crew[B]) commit() (Turn[B], bool) {
	m := c.meeting
	l := &c.done[c.due]
	o := l.first
	l.first = o.after
	agent, post, _ := m.loop.Next()
	if agent != o.entry || m.log.id(post) != o.in.ID {
		m.surprises++
		c.again, c.halted = true, true
		return Turn[B]{}, false
	}
	c.err = o.fault
	if o.err != nil {
		c.err = o.failure(c.outer, o.err)
	}
	if c.err != nil {
		c.halted = true
		return Turn[B]{}, false
	}
	c.left--
	c.open--
	m.commit(&o.attempt, post)
	turn := Turn[B]{}
	if c.each {
		turn = m.turn(&o.attempt)
	}
	o.after, c.spare = c.spare, o
	c.due = schedule.None
	if !c.each {
		c.look()
	}
	return turn, true
}

// blank returns an outcome to write to, one that has been committed if there is
// one.
func (c *crew[B]) blank() *outcome[B] {
	o := c.spare
	if o == nil {
		return new(outcome[B])
	}
	c.spare = o.after
	*o = outcome[B]{}
	return o
}
