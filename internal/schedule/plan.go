// Package schedule decides whose turn it is. It is pure: it calls nobody, waits
// for nothing and starts nothing. A driver asks a [Loop] which turn is due, lets
// the agent step, and tells the Loop what was posted.
//
// Agents, seats and nested nodes are entries, numbered so that the entries of
// one room stand together in name order. A room is the inside of a nested node;
// room 0 is the top graph. Channels are numbered too, each owned by the room
// whose graph names it. Posts are whatever number the driver gives them.
package schedule

import "slices"

// Chan is the number of a channel.
type Chan = int32

// Two channels that no room owns. Everyone reaches every entry at every depth.
// Ports reaches the entries of the top room that hear what is around it, and
// what hears in those, and so on.
const (
	Everyone Chan = -1
	Ports    Chan = -2
)

// None stands for no entry and no room.
const None int32 = -1

// Kind says what an entry does with its posts.
type Kind uint8

// An agent takes turns, a seat lets posts wait, a node has a room inside.
const (
	Agent Kind = iota
	Seat
	Node
)

// Plan is the wiring that a schedule follows. It is built once and then only
// read, so many Loops can share it.
type Plan struct {
	rooms   []room
	entries []entry
	sets    lists   // per set: its channels
	subs    lists   // per channel: the entries of its owner that subscribe, ascending
	owner   []int32 // per channel: a room
	nested  bool
}

type room struct {
	first, n int32
	node     int32   // the entry that this room is the inside of
	hearing  []int32 // members that hear what the node hears
	speaking []int32 // members that speak for the node
	echo     bool    // the node hears a channel that it speaks to
}

type entry struct {
	room    int32
	inner   int32 // the room of a nested node
	in, out int32 // sets
	kind    Kind
	hears   bool
	speaks  bool
}

// Entry is what [Plan.AddRoom] is told of one entry.
type Entry struct {
	Kind    Kind
	In, Out int32 // numbers that AddSets gave; their channels are owned by the entry's room
	Hears   bool  // hears what the node around it hears
	Speaks  bool  // speaks for the node around it
}

// NewPlan returns an empty plan. Sets, channels, then rooms are added, a room
// after the room of its node. Set 0 is the empty set.
func NewPlan() *Plan {
	return &Plan{sets: newLists(1), subs: newLists(0)}
}

// AddChannels adds n channels of the room that will be added next and returns
// the first one's number.
func (p *Plan) AddChannels(n int) Chan {
	first := Chan(len(p.owner))
	p.owner = slices.Grow(p.owner, n)
	for range n {
		p.owner = append(p.owner, int32(len(p.rooms)))
	}
	return first
}

// AddSets adds sets of channels of the room that will be added next and returns
// the number of the one after the first, which is the empty set and is left out.
// The members of set i are members[from[i]:from[i+1]], the room's channels
// counted from first. The plan keeps the slices.
func (p *Plan) AddSets(from []int32, members []Chan, first Chan) int32 {
	number := int32(p.sets.len())
	if number == 1 && first == 0 {
		p.sets = lists{slices.Clip(from), slices.Clip(members)}
		return number
	}
	for i := 1; i < len(from)-1; i++ {
		for _, c := range members[from[i]:from[i+1]] {
			p.sets.items = append(p.sets.items, first+c)
		}
		p.sets.close()
	}
	return number
}

// AddRoom adds the inside of the given node (None for the top graph, which comes
// first), its n entries in name order, and returns the number of its first entry.
// It costs O(the entries and their channels).
func (p *Plan) AddRoom(node int32, n int, member func(i int) Entry) int32 {
	id, first := int32(len(p.rooms)), int32(len(p.entries))
	r := room{first: first, n: int32(n), node: node}
	p.entries = slices.Grow(p.entries, n)
	for i := range n {
		m := member(i)
		e := entry{room: id, inner: None, in: m.In, out: m.Out, kind: m.Kind, hears: m.Hears, speaks: m.Speaks}
		p.entries = append(p.entries, e)
		if node != None && m.Hears {
			r.hearing = append(r.hearing, first+int32(i))
		}
		if node != None && m.Speaks {
			r.speaking = append(r.speaking, first+int32(i))
		}
	}
	p.rooms = append(p.rooms, r)
	if node != None {
		p.entries[node].inner = id
		p.nested = true
		p.rooms[id].echo = p.echoes(node)
	}
	p.subscribe(first, n)
	return first
}

// subscribe fills in who hears each channel of the newest room.
func (p *Plan) subscribe(first int32, n int) {
	entries := p.entries[first : int(first)+n]
	old := int32(p.subs.len())
	counts := make([]int32, int32(len(p.owner))-old)
	for i := range entries {
		for _, c := range p.sets.of(entries[i].in) {
			counts[c-old]++
		}
	}
	next := p.subs.grow(counts)
	for i := range entries {
		for _, c := range p.sets.of(entries[i].in) {
			p.subs.items[next[c-old]] = first + int32(i)
			next[c-old]++
		}
	}
}

// echoes says whether a node hears, from any depth above, a channel that its own
// members speak to.
func (p *Plan) echoes(node int32) bool {
	for n := node; n != None; n = p.above(n, p.entries[n].speaks) {
		if slices.ContainsFunc(p.sets.of(p.entries[n].out), func(c Chan) bool { return p.hears(node, c) }) {
			return true
		}
	}
	return false
}

// hears says whether the members of a node that hear for it hear the channel.
func (p *Plan) hears(node int32, c Chan) bool {
	for n := node; n != None; n = p.above(n, p.entries[n].hears) {
		room := p.entries[n].room
		if c == Ports && room == 0 {
			return p.entries[n].hears
		}
		if c >= 0 && room == p.owner[c] {
			return contains(p.subs.of(c), n)
		}
	}
	return false
}

// above returns the node around an entry, if the entry is open to it.
func (p *Plan) above(e int32, open bool) int32 {
	if !open {
		return None
	}
	return p.rooms[p.entries[e].room].node
}

// child returns the entry of a room that holds another room, or None.
func (p *Plan) child(within, holds int32) int32 {
	for holds != None {
		node := p.rooms[holds].node
		if node == None {
			return None
		}
		if p.entries[node].room == within {
			return node
		}
		holds = p.entries[node].room
	}
	return None
}

// Subscribers returns the entries that hear a channel in the room that owns it.
// The slice is the plan's.
func (p *Plan) Subscribers(c Chan) []int32 { return p.subs.of(c) }

// Room returns the room that an entry is in.
func (p *Plan) Room(e int32) int32 { return p.entries[e].room }

// Out returns the set of channels that an entry posts to.
func (p *Plan) Out(e int32) int32 { return p.entries[e].out }

// Inner returns the room inside a node.
func (p *Plan) Inner(node int32) int32 { return p.entries[node].inner }

// Inside returns the first entry of the room inside a node and how many there are.
func (p *Plan) Inside(node int32) (first, n int32) {
	r := p.rooms[p.entries[node].inner]
	return r.first, r.n
}

func contains(ascending []int32, x int32) bool {
	_, found := slices.BinarySearch(ascending, x)
	return found
}

// Heard returns the channels of its own room that an entry subscribes to, whether
// it hears what the node around it hears as well, and that node.
func (p *Plan) Heard(e int32) (in []Chan, hears bool, node int32) {
	x := &p.entries[e]
	return p.sets.of(x.in), x.hears, p.rooms[x.room].node
}
