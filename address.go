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

// address returns an address of the roster.
func (r *Roster[B]) address(number int32) []Channel {
	if to := r.addresses[number]; to != nil {
		return to
	}
	return []Channel{} // the To of a post is never nil
}

// resolve turns what an agent wrote in To into an address.
func (r *Roster[B]) resolve(e *member[B], wanted []Channel) (address, error) {
	if len(wanted) == 0 {
		return address{to: r.address(e.address)}, nil
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
func (r *Roster[B]) lookup(e *member[B], ch Channel) (address, bool) {
	m := &r.rooms[e.room]
	if ch == Outside {
		return r.lookupOutside(e, m)
	}
	if e.scope != nil {
		ch = e.scope.prefix + ch
	}
	if !m.sets.All[e.out].Contains(ch) || e.scope != nil && e.scope.outside.Contains(ch) {
		return address{}, false
	}
	c := m.channel + m.sets.Numbers[ch]
	return address{to: r.channels[c : c+1], route: []int32{c}}, true
}

// may returns all that an agent can name in To.
func (r *Roster[B]) may(e *member[B]) []Channel {
	m := &r.rooms[e.room]
	var may []Channel
	if _, ok := r.lookupOutside(e, m); ok {
		may = append(may, Outside)
	}
	for _, ch := range m.sets.All[e.out] {
		switch {
		case e.scope == nil:
			may = append(may, ch)
		case !e.scope.outside.Contains(ch):
			may = append(may, strings.TrimPrefix(ch, e.scope.prefix))
		}
	}
	return may
}

func (r *Roster[B]) lookupOutside(e *member[B], m *room) (address, bool) {
	var a address
	nested := e.speaks && m.path != ""
	if nested {
		a = address{to: slices.Clip(m.outside), route: slices.Clip(m.outsideChannels)}
	}
	if e.scope == nil {
		return a, nested
	}
	for ch := range e.scope.outside.All() {
		c := m.channel + m.sets.Numbers[ch]
		a.to, a.route = append(a.to, r.channels[c]), append(a.route, c)
	}
	return a, nested || e.scope.speaks
}
