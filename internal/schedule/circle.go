package schedule

import "slices"

// Circle returns, in order, the agents that an agent can reach and hear from
// again, itself among them; none if it cannot reach itself. It costs
// O(entries and their channels).
func (p *Plan) Circle(agent int32) []int32 {
	ahead := p.reach(agent, p.hearersOf())
	back := p.reach(agent, p.postersOf())
	var circle []int32
	for e := range p.entries {
		if ahead[e] && back[e] && p.entries[e].kind == Agent {
			circle = append(circle, int32(e))
		}
	}
	return circle
}

// Vertices are entries, then channels, then for each room what its node hears
// and what it says. An arrow says that a post can go that way.
func (p *Plan) arrows(add func(from, to int32)) {
	channels := int32(len(p.entries))
	intake := channels + int32(len(p.owner))
	saying := intake + int32(len(p.rooms))
	for i := range p.entries {
		e, x := int32(i), &p.entries[i]
		for _, c := range p.sets.of(x.in) {
			add(channels+c, e)
		}
		if x.kind == Seat {
			continue
		}
		says := e
		if x.kind == Node {
			add(e, intake+x.inner)
			says = saying + x.inner
		}
		for _, c := range p.sets.of(x.out) {
			add(says, channels+c)
		}
		if p.rooms[x.room].node == None {
			continue
		}
		if x.hears {
			add(intake+x.room, e)
		}
		if x.speaks {
			add(says, saying+x.room)
		}
	}
	for i, r := range p.rooms {
		if r.echo {
			add(saying+int32(i), intake+int32(i))
		}
	}
}

func (p *Plan) vertices() int { return len(p.entries) + len(p.owner) + 2*len(p.rooms) }

func (p *Plan) hearersOf() [][]int32 {
	next := make([][]int32, p.vertices())
	p.arrows(func(from, to int32) { next[from] = append(next[from], to) })
	return next
}

func (p *Plan) postersOf() [][]int32 {
	next := make([][]int32, p.vertices())
	p.arrows(func(from, to int32) { next[to] = append(next[to], from) })
	return next
}

// reach says which vertices can be reached in one step or more.
func (p *Plan) reach(from int32, next [][]int32) []bool {
	reached := make([]bool, len(next))
	todo := slices.Clone(next[from])
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !reached[v] {
			reached[v] = true
			todo = append(todo, next[v]...)
		}
	}
	return reached
}
