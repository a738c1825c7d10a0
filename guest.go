package agentgraph

import (
	"maps"

	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// guest is what a meeting keeps of one author outside.
type guest struct {
	name   Name
	author int32 // in the log
	made   int   // posts
	seat   int32 // the seat whose path the author bears, or None
	forges bool  // the author bears the path of an agent or a nested node

	// Where the author posted last: many post to one place again and again.
	sent    bool
	to      []Channel
	address int32
	route   []int32
}

// guest returns what is kept of an author, who may be a new one.
func (m *Meeting[B]) guest(name Name) *guest {
	if m.last != nil && m.last.name == name {
		return m.last
	}
	g, ok := m.guests[name]
	if !ok {
		g = m.admit(name)
	}
	m.last = g
	return g
}

// admit lets in a new author.
func (m *Meeting[B]) admit(name Name) *guest {
	g := &guest{name: name, made: m.before[name], author: m.log.guest(name), seat: schedule.None}
	if e, ok := m.roster.find(name); ok {
		if m.roster.entries[e].kind == KindExternal {
			g.seat = e
		} else {
			g.forges = true
		}
	}
	if m.guests == nil {
		m.guests = map[Name]*guest{}
	}
	m.guests[name] = g
	return g
}

// direct finds out where a guest's posts to some channels go.
func (m *Meeting[B]) direct(g *guest, to []Channel) {
	g.sent, g.to = true, sorted(to)
	g.address, g.route = m.log.addressed(g.to), m.roster.route(g.to)
}

// made returns how many posts each author outside has made, before this meeting
// too.
func (m *Meeting[B]) made() map[Name]int {
	counts := make(map[Name]int, len(m.before)+len(m.guests))
	maps.Copy(counts, m.before)
	for name, g := range m.guests {
		counts[name] = g.made
	}
	return counts
}
