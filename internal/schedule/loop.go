package schedule

// Loop is the schedule of one meeting, one turn at a time: inboxes, and in each
// room which entries are still to come in this pass and which in the next. It
// holds the truth; whatever works ahead of it only guesses what it will say.
//
// Next and Take cost O(log64 of the room's entries), Deliver costs that much for
// each hearer.
type Loop struct {
	plan    *Plan
	inbox   []queue
	cells   cells
	rooms   []passes
	open    []int32         // the rooms in progress, the innermost last
	outside map[int]visitor // the posts from outside that nodes are still to take
}

// visitor is a post from outside.
type visitor struct {
	route []Chan // where it goes
	nodes int    // that are still to take it
}

type passes struct {
	now, next bitset // by place in the room
	first     int32  // the room's first entry
	at        int32  // who took the last turn of this pass, or None
	turns     int    // that the node has taken
}

// NewLoop returns the schedule of a meeting in which nothing waits. It costs
// O(the plan's entries).
func NewLoop(plan *Plan) *Loop {
	l := &Loop{plan: plan, inbox: make([]queue, len(plan.entries))}
	words := 0
	for _, r := range plan.rooms {
		words += 2 * bitsetWords(int(r.n))
	}
	slab := make([]uint64, words)
	l.rooms = make([]passes, len(plan.rooms))
	for i, r := range plan.rooms {
		l.rooms[i].first, l.rooms[i].at = r.first, None
		l.rooms[i].now, slab = newBitset(int(r.n), slab)
		l.rooms[i].next, slab = newBitset(int(r.n), slab)
	}
	l.open = append(l.open, 0)
	return l
}

// Next returns the agent whose turn it is and the post that it is to take. It
// is false when nobody has anything left to hear, and what comes after that begins
// with a pass of its own. It opens nested nodes as they
// come up, each with one post, and closes those that are done.
func (l *Loop) Next() (agent int32, post int, ok bool) {
	for {
		id := l.open[len(l.open)-1]
		e := l.due(id)
		switch {
		case e == None && id == 0:
			l.rooms[0].at = None
			return None, 0, false
		case e == None:
			l.open = l.open[:len(l.open)-1]
		case l.plan.entries[e].kind == Agent:
			return e, l.inbox[e].first(), true
		default:
			l.enter(e)
		}
	}
}

// due returns the entry of a room that comes next, in this pass or in a new one.
// The new one begins when it takes its turn: until then, a post from outside can
// still come in this pass.
func (l *Loop) due(id int32) int32 {
	r := &l.rooms[id]
	i := r.now.next(r.at + 1)
	if i == None {
		i = r.next.next(0)
	}
	if i == None {
		return None
	}
	return r.first + i
}

// Entered says how many posts a nested node has taken in.
func (l *Loop) Entered(node int32) int { return l.rooms[l.plan.entries[node].inner].turns }

// Take ends the turn that Next gave: the post leaves the agent's inbox. What the
// agent posted is delivered after that.
func (l *Loop) Take(agent int32) { l.pop(agent) }

// enter begins a node's turn.
func (l *Loop) enter(node int32) {
	post := l.pop(node)
	inner := l.plan.entries[node].inner
	l.rooms[inner].at = None
	l.rooms[inner].turns++
	l.open = append(l.open, inner)
	l.plan.intake(node, l.outside[post].route, func(e int32) { l.push(e, post) })
	l.visit(post, -1)
}

// Deliver puts a post into the inbox of everyone who hears its author: on all
// channels where route is nil, else on those named. A nested node is not given
// what comes from inside it.
func (l *Loop) Deliver(post int, author int32, route []Chan) {
	x := &l.plan.entries[author]
	if route != nil || l.plan.above(author, x.speaks) != None {
		l.plan.spread(author, route, func(e int32) { l.push(e, post) })
		return
	}
	for _, c := range l.plan.sets.of(x.out) { // by far the most usual, and so without a call for each
		for _, e := range l.plan.subs.of(c) {
			l.push(e, post)
		}
	}
}

// DeliverOutside does the same for a post from outside. It is taken to come just
// after the last turn, be it an agent's or one in which a node took something in.
func (l *Loop) DeliverOutside(post int, route []Chan) {
	if l.plan.nested {
		if l.outside == nil {
			l.outside = map[int]visitor{}
		}
		l.outside[post] = visitor{route, 1} // it is here until all have it
	}
	l.plan.enterTop(route, func(e int32) { l.push(e, post) })
	l.visit(post, -1)
}

// visit counts a node that is still to take a post from outside or, by -1, has taken
// it. After the last one, where the post goes is forgotten.
func (l *Loop) visit(post, by int) {
	v, ok := l.outside[post]
	switch v.nodes += by; {
	case !ok:
	case v.nodes == 0:
		delete(l.outside, post)
	default:
		l.outside[post] = v
	}
}

// push puts a post at the end of an inbox, unless it is there already.
func (l *Loop) push(e int32, post int) {
	q := &l.inbox[e]
	if q.isEmpty() {
		l.wake(e)
	} else if l.cells.newest(q) == post {
		return
	}
	l.cells.push(q, post)
	if len(l.outside) > 0 && l.plan.entries[e].kind == Node {
		l.visit(post, 1)
	}
}

// wake gives an entry its slot: in this pass if its place is still to come.
func (l *Loop) wake(e int32) {
	x := &l.plan.entries[e]
	if x.kind == Seat {
		return
	}
	r := &l.rooms[x.room]
	if i := e - r.first; i > r.at {
		r.now.add(i)
	} else {
		r.next.add(i)
	}
}

// pop takes the first post of an entry whose turn it is, which has then spoken
// in this pass.
func (l *Loop) pop(e int32) int {
	q := &l.inbox[e]
	post := l.cells.pop(q)
	r := &l.rooms[l.plan.entries[e].room]
	i := e - r.first
	if !r.now.has(i) {
		r.now, r.next = r.next, r.now
	}
	r.at = i
	r.now.remove(i)
	if !q.isEmpty() {
		r.next.add(i)
	}
	return post
}

// Waiting appends the posts in an entry's inbox to buf, oldest first.
func (l *Loop) Waiting(e int32, buf []int) []int {
	q := &l.inbox[e]
	if q.isEmpty() {
		return buf
	}
	buf = append(buf, q.first())
	for c := q.head; c != 0; {
		x := l.cells.at(c)
		buf = append(buf, int(x.post))
		c = x.next
	}
	return buf
}

// Remove takes the posts that a function picks out of a seat's inbox. It costs
// O(what waits there).
func (l *Loop) Remove(seat int32, pick func(post int) bool) {
	q := &l.inbox[seat]
	waiting := l.Waiting(seat, nil)
	for range waiting {
		l.cells.pop(q)
	}
	for _, post := range waiting {
		if !pick(post) {
			l.cells.push(q, post)
		}
	}
}

// HasWaiting says whether anything waits at an entry.
func (l *Loop) HasWaiting(e int32) bool { return !l.inbox[e].isEmpty() }
