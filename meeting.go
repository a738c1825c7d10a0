package agentgraph

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// Options say how meetings run. The zero value is right for most.
type Options struct {
	MaxTurns int // of agents, at every depth, for one Run or Turns, recorded turns of a durable meeting included: 0 is 10,000, negative is no limit
	Parallel int // how many turns may run at once: below 2 is one at a time
}

const defaultMaxTurns = 10_000

// With returns a copy of the roster with exactly these options.
func (r *Roster[B]) With(o Options) *Roster[B] {
	c := *r.routed()
	c.options = o
	return &c
}

// Run opens a meeting, posts the inputs, runs it until nobody has anything left
// to hear, and returns the log, inputs first. The log so far comes beside an
// error. See [Meeting.Post] and [Meeting.Run].
func (r *Roster[B]) Run(ctx context.Context, inputs []Post[B]) ([]Post[B], error) {
	m := r.Open()
	if err := m.Post(inputs...); err != nil {
		return m.Log(), err
	}
	err := m.Run(ctx)
	return m.Log(), err
}

// Open begins a meeting in which nothing has been posted. It costs O(agents);
// after that a turn costs its agent's own time and its deliveries, however many
// agents there are and however long the log is.
func (r *Roster[B]) Open() *Meeting[B] {
	r = r.routed()
	m := &Meeting[B]{roster: r, log: ledger[B]{roster: r}, loop: schedule.NewLoop(r.plan), seats: make([]seat, len(r.entries))}
	for i := range r.entries {
		if p := r.entries[i].program; p != nil {
			m.seats[i].state = p.start()
		}
	}
	return m
}

// Meeting is one live run of a roster: its log, what waits where, and the states
// of its agents. It is for one goroutine at a time. [Roster.Open] begins one; the
// zero Meeting is one of the zero Roster.
type Meeting[B any] struct {
	roster *Roster[B]
	loop   *schedule.Loop
	log    ledger[B]
	seats  []seat          // by entry
	guests map[Name]*guest // authors outside
	last   *guest          // who posted last
	before map[Name]int    // posts that authors outside have made in other meetings
	closed bool            // it is inside an agent made by ToAgent
	turns  int             // committed so far
	posted int             // how often Post was called

	follow follower
	news   bool // there is something to tell that was not told

	surprises int // turns worked ahead that the schedule did not ask for: none
}

// follower is who is told what happens in a meeting, if anybody is.
type follower struct {
	// committed is called for each turn that counts, perhaps by a worker and under the
	// crew's lock. It says whether there is something to tell.
	committed func(entry int32, state any) bool

	// tell is called for that, soon, on the goroutine that runs the meeting, with no
	// lock held: what it calls may take its time, or end the goroutine.
	tell func()
}

// begin makes a zero Meeting one of the zero Roster.
func (m *Meeting[B]) begin() {
	if m.roster == nil {
		*m = *new(Roster[B]).Open()
	}
}

// seat is what a meeting keeps of one agent.
type seat struct {
	state any
	turns int // taken
	made  int // posts
}

// Waiting is what waits at one place of a meeting.
type Waiting[B any] struct {
	At    Name
	Posts []Post[B] // oldest first
}

// Post commits posts from outside, all or none, keeping their From, To and
// Thread and giving them IDs. They arrive just after the last committed turn.
// Channels inside nested nodes go by their full names; a channel that nobody
// hears is no error, and neither is an empty To, even of a seat: the post is in
// the log all the same. [Roster.Hearers] tells. A post that bears the path of an
// agent or a nested node is [ErrForged]; that of a seat is welcome, and what it
// cites of the posts that wait at the seat is answered: it waits no longer.
func (m *Meeting[B]) Post(posts ...Post[B]) error {
	m.begin()
	for i := range posts {
		if g := m.guest(posts[i].From); g.forges {
			return fmt.Errorf("%spost from %q: %w", prefix, posts[i].From, ErrForged)
		}
	}
	for i := range posts {
		m.take(&posts[i], false)
	}
	m.posted++
	return nil
}

// take commits one post from outside. If it is for the ports, those members that
// the ports of the top graph let hear get it too, whatever its To.
func (m *Meeting[B]) take(p *Post[B], ports bool) {
	g := m.guest(p.From)
	if !g.sent || !slices.Equal(g.to, p.To) {
		m.direct(g, p.To)
	}
	route := g.route
	if ports {
		route = append(slices.Clip(route), schedule.Ports)
	}
	m.loop.DeliverOutside(m.log.add(record[B]{
		author: g.author,
		n:      int32(g.made),
		to:     g.address,
		thread: m.log.citing(sortedIDs(p.Thread)),
		body:   p.Body,
	}), route)
	g.made++
	m.answer(g, p.Thread)
}

// answer takes what a post from a seat cites out of the seat's inbox.
func (m *Meeting[B]) answer(g *guest, thread []PostID) {
	if len(thread) > 0 && g.seat != schedule.None {
		m.loop.Remove(g.seat, func(post int) bool { return slices.Contains(thread, m.log.id(post)) })
	}
}

// Run takes turns until nobody has anything left to hear. It stops early with an
// *[AgentError] when an agent fails or panics, with a *[TurnLimitError], or, when the
// context has ended, with its error and its cause, wrapped, and what the agent that
// was cut short said beside them. What was committed stays, the post that was
// being taken stays first in its inbox, and calling Run again goes on from
// there. With Options.Parallel, turns that were worked ahead of it are taken
// again then, so an agent can be called twice for one turn of the log.
func (m *Meeting[B]) Run(ctx context.Context) error {
	for _, err := range m.run(ctx, false) {
		return err
	}
	return nil
}

// Turns is Run, one committed turn at a time. An error comes last, once. The
// loop may be left early and entered again later; between turns, Log, Pending
// and Post may be called. A run after the meeting has come to rest begins with a
// new pass, one after a stop goes on in the middle of the pass.
func (m *Meeting[B]) Turns(ctx context.Context) iter.Seq2[Turn[B], error] {
	return m.run(ctx, true)
}

// Log returns a copy of the log.
func (m *Meeting[B]) Log() []Post[B] { return m.log.all() }

// Pending returns what still waits, in order of path: at agents, at nested nodes
// that have not taken it in, and at seats until they answer it: see [Meeting.Answer].
func (m *Meeting[B]) Pending() []Waiting[B] {
	m.begin()
	var pending []Waiting[B]
	var buf []int
	for i := range m.roster.entries {
		if !m.loop.HasWaiting(int32(i)) {
			continue
		}
		buf = m.loop.Waiting(int32(i), buf[:0])
		w := Waiting[B]{At: m.roster.paths[i], Posts: make([]Post[B], len(buf))}
		for j, post := range buf {
			w.Posts[j] = m.log.post(post)
		}
		pending = append(pending, w)
	}
	slices.SortFunc(pending, func(a, b Waiting[B]) int { return strings.Compare(a.At, b.At) })
	return pending
}

// turnsLeft is how many turns one run may take; negative is no limit.
func (m *Meeting[B]) turnsLeft() int {
	if m.roster.options.MaxTurns == 0 {
		return defaultMaxTurns
	}
	return max(m.roster.options.MaxTurns, -1)
}

// prepare sets up the turn that an agent takes on a post.
func (m *Meeting[B]) prepare(a *attempt[B], agent int32, post int) {
	s := &m.seats[agent]
	if a.roster != m.roster { // pointers are not for free to write while memory is collected
		a.roster = m.roster
	}
	a.entry = agent
	a.n = s.turns
	m.log.read(post, &a.in)
	a.state = s.state
}

// commit puts a finished turn on a post into the log and delivers what came of it.
func (m *Meeting[B]) commit(a *attempt[B], input int) {
	s := &m.seats[a.entry]
	m.loop.Take(a.entry)
	for i := range a.outs {
		r := record[B]{
			author: a.entry,
			n:      int32(s.made),
			to:     m.roster.entries[a.entry].address,
			thread: int32(input),
			body:   a.outs[i].Body,
		}
		var route []int32
		if len(a.addresses) > 0 {
			r.to, route = m.log.addressed(a.addresses[i].to), a.addresses[i].route
		}
		if thread := sortedIDs(a.outs[i].Thread); thread != nil {
			r.thread = m.log.citing(thread)
		}
		m.loop.Deliver(m.log.add(r), a.entry, route)
		s.made++
	}
	s.turns++
	m.turns++
	s.state = a.next
	if m.follow.committed != nil && m.follow.committed(a.entry, a.next) {
		m.news = true
	}
}

// turn describes the turn that was just committed.
func (m *Meeting[B]) turn(a *attempt[B]) Turn[B] {
	t := Turn[B]{N: m.turns - 1, Agent: m.roster.paths[a.entry], Input: a.in}
	for i := m.log.n - len(a.outs); i < m.log.n; i++ {
		t.Outputs = append(t.Outputs, m.log.post(i))
	}
	return t
}

// limitError says who still talks after the last turn allowed.
func (m *Meeting[B]) limitError(due int32) error {
	err := &TurnLimitError{Limit: m.roster.options.MaxTurns, closed: m.closed}
	if err.Limit == 0 {
		err.Limit = defaultMaxTurns
	}
	for i := range m.roster.entries {
		if m.roster.entries[i].kind != KindExternal && m.loop.HasWaiting(int32(i)) {
			err.Talking = append(err.Talking, m.roster.paths[i])
		}
	}
	for _, e := range m.roster.plan.Circle(due) {
		err.Loop = append(err.Loop, m.roster.paths[e])
	}
	slices.Sort(err.Talking)
	slices.Sort(err.Loop)
	return err
}
