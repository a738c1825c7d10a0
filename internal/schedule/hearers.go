package schedule

import "slices"

// spread visits everyone who hears what an agent posts, room by room from its
// own outwards. An entry may be visited more than once, in one go.
func (p *Plan) spread(author int32, route []Chan, visit func(int32)) {
	if route != nil {
		p.spreadTo(author, route, visit)
		return
	}
	from := author
	for {
		e := &p.entries[from]
		for _, c := range p.sets.of(e.out) {
			visitAll(p.subs.of(c), from, author, visit)
		}
		node := p.above(from, e.speaks)
		if node == None {
			return
		}
		if r := &p.rooms[e.room]; r.echo {
			visitAll(r.hearing, from, author, visit)
		}
		from = node
	}
}

// spreadTo is spread for an agent that chose among its channels.
func (p *Plan) spreadTo(author int32, route []Chan, visit func(int32)) {
	from := author
	for from != None {
		room := p.entries[from].room
		node := p.rooms[room].node
		for _, c := range route {
			switch {
			case p.owner[c] == room:
				visitAll(p.subs.of(c), from, author, visit)
			case node != None && p.hears(node, c):
				visitAll(p.rooms[room].hearing, from, author, visit)
			}
		}
		from = node
	}
}

// visitAll visits the entries of a list but for the node that the post comes out
// of. An author hears itself where it subscribes.
func visitAll(list []int32, from, author int32, visit func(int32)) {
	for _, e := range list {
		if e != from || from == author {
			visit(e)
		}
	}
}

// enterTop visits the entries of the top room that a post from outside reaches.
func (p *Plan) enterTop(route []Chan, visit func(int32)) {
	p.enterRoom(0, route, visit)
}

// intake visits the members of a node that hear a post which the node takes.
// route is nil for a post of an agent, which cannot address channels inside.
func (p *Plan) intake(node int32, route []Chan, visit func(int32)) {
	inner := p.entries[node].inner
	hearing := p.rooms[inner].hearing
	if route == nil {
		visitAll(hearing, None, None, visit)
		return
	}
	for _, c := range route {
		if c != Everyone && p.hears(node, c) {
			visitAll(hearing, None, None, visit)
			break
		}
	}
	p.enterRoom(inner, route, visit)
}

// enterRoom visits the entries of a room that a post from outside reaches by the
// room's own channels, by those inside its nodes, and by Everyone or Ports.
func (p *Plan) enterRoom(room int32, route []Chan, visit func(int32)) {
	for _, c := range route {
		switch {
		case c == Everyone, c == Ports && room == 0:
			p.visitRoom(room, c == Ports, visit)
		case c == Ports:
		case p.owner[c] == room:
			visitAll(p.subs.of(c), None, None, visit)
		default:
			if e := p.child(room, p.owner[c]); e != None {
				visit(e)
			}
		}
	}
}

// inward says whether a post from outside can reach members of nodes that do not
// hear those nodes.
func (p *Plan) inward(route []Chan) bool {
	return slices.ContainsFunc(route, func(c Chan) bool { return c == Everyone || c >= 0 && p.owner[c] != 0 })
}

// visitRoom visits all entries of a room, or those that hear what is around it.
func (p *Plan) visitRoom(room int32, hearing bool, visit func(int32)) {
	r := &p.rooms[room]
	for e := r.first; e < r.first+r.n; e++ {
		if !hearing || p.entries[e].hears {
			visit(e)
		}
	}
}

// Hearers visits every agent and seat, at any depth, that a post from outside
// reaches. An entry may be visited more than once.
func (p *Plan) Hearers(route []Chan, visit func(int32)) {
	var nodes []int32
	entered := map[int32]bool{}
	enter := func(e int32) {
		if p.entries[e].kind != Node {
			visit(e)
			return
		}
		if !entered[e] {
			entered[e] = true
			nodes = append(nodes, e)
		}
	}
	p.enterTop(route, enter)
	for len(nodes) > 0 {
		node := nodes[len(nodes)-1]
		nodes = nodes[:len(nodes)-1]
		p.intake(node, route, enter)
	}
}
