package agentgraph

import (
	"slices"
	"strings"
)

// address is where an output goes: full names in order, and the same as numbers.
// No numbers means everywhere that its agent posts to.
type address struct {
	to    []Channel
	route []int32
}

// Addresses of a roster have numbers: 0 is nowhere, odd ones are one channel
// alone, as most are, and even ones are kept in its list.
func alone(channel int32) int32 { return 2*channel + 1 }
func listed(place int) int32    { return 2*int32(place) + 2 }

// address returns an address of the roster.
func (r *Roster[B]) address(number int32) []Channel {
	switch i := number / 2; {
	case number&1 != 0:
		return r.channels[i : i+1 : i+1]
	case number > 0:
		return r.addresses[i-1]
	}
	return []Channel{} // the To of a post is never nil
}

// resolve turns what an agent wrote in To into an address.
func (r *Roster[B]) resolve(e int32, wanted []Channel) (address, error) {
	if len(wanted) == 0 {
		return address{to: r.address(r.entries[e].address)}, nil
	}
	var a address
	for _, ch := range wanted {
		more, ok := r.lookup(e, ch)
		if !ok {
			return address{}, &ChannelError{Channel: ch, May: r.may(e)}
		}
		a.to, a.route = append(a.to, more.to...), append(a.route, more.route...)
	}
	a.to, a.route = merge(a.to, a.route, nil, nil)
	return a, nil
}

// lookup finds one channel of an agent by the name it has in the agent's own
// graph, or what Outside stands for, in any order.
func (r *Roster[B]) lookup(e int32, ch Channel) (address, bool) {
	m, scope := r.placed(e)
	if ch == Outside {
		return r.lookupOutside(e)
	}
	if scope != nil {
		ch = scope.prefix + ch
	}
	c, ok := m.sets.Member(r.out(e), ch)
	if !ok || scope != nil && scope.outside.Contains(ch) {
		return address{}, false
	}
	c += m.channel
	return address{to: r.channels[c : c+1], route: []int32{c}}, true
}

// may returns all that an agent can name in To.
func (r *Roster[B]) may(e int32) []Channel {
	m, scope := r.placed(e)
	var may []Channel
	if _, ok := r.lookupOutside(e); ok {
		may = append(may, Outside)
	}
	for _, ch := range m.sets.Names(r.out(e)) {
		switch {
		case scope == nil:
			may = append(may, ch)
		case !scope.outside.Contains(ch):
			may = append(may, strings.TrimPrefix(ch, scope.prefix))
		}
	}
	return may
}

func (r *Roster[B]) lookupOutside(e int32) (address, bool) {
	m, scope := r.placed(e)
	var a address
	nested := r.entries[e].speaks && m.path != ""
	if nested {
		a = address{to: slices.Clip(m.outside), route: slices.Clip(m.outsideChannels)}
	}
	if scope == nil {
		return a, nested
	}
	for ch := range scope.outside.All() {
		if c, ok := m.sets.Channel(ch); ok {
			a.to, a.route = append(a.to, r.channels[m.channel+c]), append(a.route, m.channel+c)
		}
	}
	return a, nested || scope.speaks
}

// placed returns the room that an entry is in, and what it was nested in before
// its graph was flattened, or nil.
func (r *Roster[B]) placed(e int32) (*room, *scope) { return r.room(e), r.scopes[e] }

// room returns the room that an entry is in.
func (r *Roster[B]) room(e int32) *room { return &r.rooms[r.plan.Room(e)] }

// out returns the set that an entry posts to, as its room numbers it.
func (r *Roster[B]) out(e int32) int32 { return max(0, r.plan.Out(e)-r.room(e).set) }
