package schedule

import "slices"

// Ahead says which turns are certain before the Loop comes to them, so that they
// can be taken side by side. It keeps a second set of inboxes, in which each post
// stands at the place of the turn that made it, and for each entry a bound: the
// earliest place at which it might still speak. The first post in an inbox is
// certain once nobody who can be heard there might speak at an earlier place.
//
// A bound only ever rises, so an old one is still true, if less sharp. Those of
// entries that take turns are kept up as they go; those of entries that hear of
// nothing are made anew by Refresh, all together.
//
// P is a post, as the driver likes it. Ahead knows nothing of the log: the driver
// compares what it is given with what the Loop says, and may stop at any time.
type Ahead[P any] struct {
	plan    *Plan
	loop    *Loop
	v       []vertex[P]
	posters []tournament // by channel: who posts there
	saying  []tournament // by room: who speaks for its node
	at      []int32      // by channel of each entry's out set: which poster it is
	first   []int32      // by entry: where its part of at begins
	spoken  []int32      // by entry: which speaker of its room it is
	depth   []int        // by room: how many nodes it is in
	turns   []int        // by room: that its node has taken
	waiting []heap       // by source: whose first post waits for its bound to rise
	ready   heap         // certain turns
	limit   Place        // no turn from here on is of use
	serial  int          // of the post being delivered
	todo    []int32      // entries whose first post is new
	blocked int          // entries whose first post is not certain
	inward  int          // the sum of what the entries say
	stale   bool         // a bound has changed since Refresh
}

// state is what an entry is doing.
type state uint8

const (
	idle    state = iota // its inbox is empty
	blocked              // its first post is not certain
	ready                // its first post is certain
	running              // its turn is being taken
	broken               // its turn has failed
)

type vertex[P any] struct {
	inbox  []arrival[P]
	bound  Place // it will not speak (an agent) or begin a turn (a node) before
	last   Place // of the turn it took last
	turn   Place // that it takes now, or will take when it is ready
	serial int   // of the post that came last
	source int32 // that it waits for when it is blocked
	state  state
	inward int // posts in the inbox of a node that can reach members which do not hear it
}

type arrival[P any] struct {
	post  P
	route []Chan // of a post from outside
	at    Place
}

// Out is what an agent posted in a turn. Route is nil for all its channels.
type Out[P any] struct {
	Post  P
	Route []Chan
}

// NewAhead starts to work ahead of a Loop, whose posts it is given as what the
// driver makes of their numbers. It costs O(the plan).
func NewAhead[P any](l *Loop, post func(int) P) *Ahead[P] {
	p := l.plan
	a := &Ahead[P]{plan: p, loop: l, v: make([]vertex[P], len(p.entries)), limit: never()}
	a.waiting = make([]heap, len(p.owner)+2*len(p.rooms))
	a.wire()
	for i := range a.v {
		a.v[i].last = before()
	}
	a.seed(l, post)
	a.Refresh()
	return a
}

// wire finds out who posts to each channel and who speaks for each node.
func (a *Ahead[P]) wire() {
	p := a.plan
	posters := make([][]int32, len(p.owner))
	a.first = make([]int32, len(p.entries))
	a.spoken = make([]int32, len(p.entries))
	for i := range p.entries {
		x := &p.entries[i]
		a.first[i] = int32(len(a.at))
		if x.kind == Seat {
			continue
		}
		for _, c := range p.sets.of(x.out) {
			a.at = append(a.at, int32(len(posters[c])))
			posters[c] = append(posters[c], int32(i))
		}
	}
	a.posters = make([]tournament, len(posters))
	for c := range posters {
		a.posters[c] = newTournament(posters[c])
	}
	a.saying = make([]tournament, len(p.rooms))
	a.depth = make([]int, len(p.rooms))
	a.turns = make([]int, len(p.rooms))
	for i, r := range p.rooms {
		speaking := slices.DeleteFunc(slices.Clone(r.speaking), func(e int32) bool { return p.entries[e].kind == Seat })
		a.saying[i] = newTournament(speaking)
		for k, e := range speaking {
			a.spoken[e] = int32(k)
		}
		if r.node != None {
			a.depth[i] = a.depth[p.entries[r.node].room] + 1
		}
	}
}

// seed takes over what waits in the Loop. The rooms in progress are in pass 1.
func (a *Ahead[P]) seed(l *Loop, post func(int) P) {
	var seeded []int32
	for i := range l.rooms {
		a.turns[i] = l.rooms[i].turns
	}
	around := Place{}
	for k, id := range l.open {
		r, first := &l.rooms[id], a.plan.rooms[id].first
		for pass, set := range [...]*bitset{&r.now, &r.next} {
			for i := set.next(0); i != None; i = set.next(i + 1) {
				e := first + i
				a.v[e].last = around.inside(k, int64(pass), e)
				a.fill(l, e, post)
				seeded = append(seeded, e)
			}
		}
		around = around.inside(k, 1, first+r.at)
	}
	a.todo = seeded
	a.checkAll()
}

// inside returns the place of a slot in the room that is k nodes deep, inside the
// turn at p.
func (p Place) inside(k int, pass int64, entry int32) Place {
	if k == 0 {
		return Place{slot: slot{pass, entry}}
	}
	return Place{p.slot, append(slices.Clip(p.below), slot{pass, entry})}
}

func (a *Ahead[P]) fill(l *Loop, e int32, post func(int) P) {
	for _, n := range l.Waiting(e, nil) {
		in := arrival[P]{post(n), l.outside[n].route, before()}
		a.v[e].inbox = append(a.v[e].inbox, in)
		a.count(e, in, 1)
	}
}

// count counts a post that comes to an entry or, by -1, leaves it.
func (a *Ahead[P]) count(e int32, in arrival[P], by int) {
	if in.route != nil && a.plan.entries[e].kind == Node && a.plan.inward(in.route) {
		a.v[e].inward += by
		a.inward += by
	}
}

// open says whether a post that waits at the node around a room, or at one around
// that, can reach members of the room which do not hear its node.
func (a *Ahead[P]) open(room int32) bool {
	if a.inward == 0 {
		return false
	}
	for n := a.plan.rooms[room].node; n != None; n = a.plan.rooms[a.plan.entries[n].room].node {
		if a.v[n].inward > 0 {
			return true
		}
	}
	return false
}

// Start returns the certain turn with the earliest place, which from then on is
// being taken, and its input. It is false when none is certain.
func (a *Ahead[P]) Start() (agent int32, in P, ok bool) {
	if !a.Ready() {
		return None, in, false
	}
	e := a.ready.pop().entry
	return e, a.start(e), true
}

// StartDue does the same for the turn that the Loop says is due, which is always
// certain. It is false when that turn is under way, or has been taken.
func (a *Ahead[P]) StartDue(agent int32) (in P, ok bool) {
	a.follow()
	v := &a.v[agent]
	if v.state != ready && v.state != blocked {
		return in, false
	}
	a.force(agent)
	return a.start(agent), true
}

// follow takes the turns of nodes that the Loop has taken: what they took in was
// certain, even if the bounds do not show it.
func (a *Ahead[P]) follow() {
	for _, room := range a.loop.open {
		node := a.plan.rooms[room].node
		for a.turns[room] < a.loop.rooms[room].turns && a.v[node].state == blocked {
			a.force(node)
			a.enter(node)
			a.check(node)
			a.checkAll()
		}
	}
}

// force takes the first post of an entry for certain.
func (a *Ahead[P]) force(e int32) {
	v := &a.v[e]
	if v.state == blocked {
		v.state = idle
		v.turn = a.turnOf(e)
		a.blocked--
	}
}

func (a *Ahead[P]) start(e int32) P {
	v := &a.v[e]
	in := v.inbox[0].post
	v.pop()
	v.state = running
	return in
}

func (v *vertex[P]) pop() {
	v.inbox[0] = arrival[P]{}
	v.inbox = v.inbox[1:]
}

func (v *vertex[P]) raise(bound Place) { v.bound = later(v.bound, bound) }

// Finish ends a turn that was started: what the agent posted goes into the
// inboxes of those who hear it, and what has become certain can be started.
func (a *Ahead[P]) Finish(agent int32, outs []Out[P]) {
	v := &a.v[agent]
	v.last = v.turn
	v.state = idle
	at := v.turn
	for i := range outs {
		a.serial++
		a.plan.spread(agent, outs[i].Route, func(e int32) { a.arrive(e, arrival[P]{post: outs[i].Post, at: at}) })
	}
	a.check(agent)
	a.settle(agent)
	a.checkAll()
}

// Fail ends a turn that was started and has failed. Nothing later is of use, and
// nothing that could come of it will be certain.
func (a *Ahead[P]) Fail(agent int32) {
	v := &a.v[agent]
	v.state = broken
	a.limit = earlier(a.limit, v.turn)
}

// arrive puts a post into an inbox, behind all that came from earlier places.
func (a *Ahead[P]) arrive(e int32, in arrival[P]) {
	v := &a.v[e]
	if v.serial == a.serial || a.plan.entries[e].kind == Seat {
		return
	}
	v.serial = a.serial
	v.inbox = append(v.inbox, in)
	a.count(e, in, 1)
	i := len(v.inbox) - 1
	for i > 0 && in.at.less(v.inbox[i-1].at) {
		i--
	}
	if i < len(v.inbox)-1 {
		copy(v.inbox[i+1:], v.inbox[i:])
		v.inbox[i] = in
	}
	if i == 0 && (v.state == idle || v.state == blocked) {
		a.todo = append(a.todo, e)
	}
}

// checkAll checks the entries whose first post is new, until none is left.
func (a *Ahead[P]) checkAll() {
	for len(a.todo) > 0 {
		e := a.todo[len(a.todo)-1]
		a.todo = a.todo[:len(a.todo)-1]
		if v := &a.v[e]; v.state == idle || v.state == blocked {
			a.check(e)
		}
	}
}

// check finds out whether the first post in an inbox is certain. A nested node
// takes what is certain in at once, for its own turn is not work.
func (a *Ahead[P]) check(e int32) {
	v := &a.v[e]
	if v.state == blocked {
		a.blocked--
	}
	for {
		v.state = idle
		if len(v.inbox) == 0 {
			return
		}
		if source := a.obstacle(e, v.inbox[0].at); source != None {
			v.state = blocked
			v.source = source
			a.blocked++
			a.waiting[source].push(placed{v.inbox[0].at, e})
			return
		}
		v.turn = a.turnOf(e)
		if a.plan.entries[e].kind == Agent {
			v.state = ready
			a.ready.push(placed{v.turn, e})
			return
		}
		a.enter(e)
	}
}

// enter takes a node's turn: its members hear the post.
func (a *Ahead[P]) enter(node int32) {
	v := &a.v[node]
	in := v.inbox[0]
	v.pop()
	a.count(node, in, -1)
	a.turns[a.plan.entries[node].inner]++
	v.last = v.turn
	a.serial++
	in.at = v.turn
	a.plan.intake(node, in.route, func(e int32) { a.arrive(e, in) })
	a.settle(node)
}

// turnOf returns the place of the turn that takes the first post.
func (a *Ahead[P]) turnOf(e int32) Place {
	v := &a.v[e]
	return a.slotAfter(e, later(v.last, v.inbox[0].at))
}

func (a *Ahead[P]) slotAfter(e int32, p Place) Place {
	return p.after(e, a.depth[a.plan.entries[e].room])
}

// The sources that an entry hears from are numbered: channels, then for each room
// what its node takes in, then for each room what its members say for its node
// and hear themselves.
func (a *Ahead[P]) intakeOf(room int32) int32 { return int32(len(a.plan.owner)) + room }
func (a *Ahead[P]) echoOf(room int32) int32 {
	return int32(len(a.plan.owner)+len(a.plan.rooms)) + room
}

// obstacle returns a source from which a post might still come to an entry from
// a place before the given one, or None.
func (a *Ahead[P]) obstacle(e int32, at Place) int32 {
	if at.pass < 0 {
		return None
	}
	found := None
	a.sources(e, func(source int32, bound Place) bool {
		if bound.less(at) {
			found = source
			return false
		}
		return true
	})
	return found
}

// sources visits what an entry hears from, with the earliest place at which
// somebody else might speak there: nobody can forestall a post by what they say
// on it, and a node never hears itself.
func (a *Ahead[P]) sources(e int32, visit func(source int32, bound Place) bool) {
	x := &a.plan.entries[e]
	for _, c := range a.plan.sets.of(x.in) {
		if !visit(c, a.posters[c].others(e)) {
			return
		}
	}
	r := &a.plan.rooms[x.room]
	if r.node == None || !x.hears {
		return
	}
	if !visit(a.intakeOf(x.room), a.v[r.node].bound) {
		return
	}
	if r.echo {
		visit(a.echoOf(x.room), a.saying[x.room].others(e))
	}
}

// speaks returns the earliest place at which an entry, or somebody inside it,
// might speak.
func (a *Ahead[P]) speaks(e int32) Place {
	if a.plan.entries[e].kind != Node {
		return a.v[e].bound
	}
	place, _ := a.saying[a.plan.entries[e].inner].first()
	return place
}

// settle raises an entry's bound after a turn of it and tells those who wait for
// that.
func (a *Ahead[P]) settle(e int32) {
	v := &a.v[e]
	next := never()
	a.sources(e, func(_ int32, bound Place) bool {
		next = earlier(next, bound)
		return true
	})
	if x := &a.plan.entries[e]; !x.hears && a.open(x.room) {
		next = earlier(next, a.v[a.plan.rooms[x.room].node].bound)
	}
	next = a.slotAfter(e, later(v.last, next))
	if len(v.inbox) > 0 {
		next = earlier(next, a.turnOf(e))
	}
	v.raise(next)
	a.stale = true
	if a.plan.entries[e].kind == Node {
		a.wake(a.intakeOf(a.plan.entries[e].inner), v.bound)
		return
	}
	a.tell(e)
}

// tell passes on that an agent's bound has risen.
func (a *Ahead[P]) tell(e int32) {
	for {
		x := &a.plan.entries[e]
		at, bound := a.at[a.first[e]:], a.speaks(e)
		for i, c := range a.plan.sets.of(x.out) {
			a.risen(c, &a.posters[c], at[i], bound)
		}
		node := a.plan.above(e, x.speaks)
		if node == None {
			return
		}
		a.risen(a.echoOf(x.room), &a.saying[x.room], a.spoken[e], bound)
		e = node
	}
}

// risen follows a change of one of the places that a source is the earliest of.
func (a *Ahead[P]) risen(source int32, t *tournament, i int32, to Place) {
	t.update(i, to)
	if len(a.waiting[source]) == 0 {
		return
	}
	bound, first := t.first()
	a.wake(source, bound)
	if v := &a.v[first]; v.state == blocked && v.source == source {
		a.check(first) // its own bound does not hold it up
	}
}

// wake checks those that wait for a source to rise to where it is now.
func (a *Ahead[P]) wake(source int32, bound Place) {
	for len(a.waiting[source]) > 0 && !bound.less(a.waiting[source][0].at) {
		e := a.waiting[source].pop().entry
		if v := &a.v[e]; v.state == blocked && v.source == source {
			a.check(e)
		}
	}
}

// Stale says whether Refresh could make more turns certain.
func (a *Ahead[P]) Stale() bool { return a.stale && a.blocked > 0 }

// Ready says whether Start would give a turn.
func (a *Ahead[P]) Ready() bool {
	for len(a.ready) > 0 && a.v[a.ready[0].entry].state != ready {
		a.ready.pop()
	}
	return len(a.ready) > 0 && a.ready[0].at.less(a.limit)
}

// Waits says whether StartDue would give the agent's turn.
func (a *Ahead[P]) Waits(agent int32) bool {
	a.follow()
	return a.v[agent].state == ready || a.v[agent].state == blocked
}
