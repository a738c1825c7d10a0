package agentgraph

import (
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// compiler turns a graph and a registry into a roster, room by room from the top
// graph inwards, and gathers what is wrong with them.
type compiler[B any] struct {
	roster *Roster[B]
	todo   []nesting[B]
	faults []*Fault
}

// nesting is a graph that is still to be compiled, and where it stands.
type nesting[B any] struct {
	graph Graph
	reg   Registry[B]
	ports []Port
	node  int32         // the entry it is the inside of
	path  Name          // of that node; empty for the top graph
	chain *ancestors[B] // the nestings that it is in, itself the first
}

type ancestors[B any] struct {
	graph *expr.Term
	reg   uintptr
	above *ancestors[B]
}

func compile[B any](g Graph, reg Registry[B], ports ...Port) (*Roster[B], error) {
	c := &compiler[B]{roster: &Roster[B]{plan: schedule.NewPlan()}}
	c.todo = append(c.todo, nesting[B]{graph: g, reg: reg, ports: ports, node: schedule.None, chain: chained(nil, g, reg)})
	for i := 0; i < len(c.todo); i++ {
		c.room(c.todo[i])
		c.todo[i] = nesting[B]{}
	}
	if len(c.faults) > 0 {
		return nil, graphError(c.faults)
	}
	return c.roster, nil
}

// room compiles one graph. Nested nodes in it are left for later.
func (c *compiler[B]) room(n nesting[B]) {
	w := n.graph.root.Wires()
	inner := prefixOf(n.path)
	c.checkChannels(n.path, w)
	hears, speaks := c.ports(n, w)

	r := room{path: n.path, first: int32(len(c.roster.entries)), names: w.Names, sets: w.Sets}
	r.channel = c.roster.plan.AddChannels(len(w.Sets.Channels()))
	from, members := w.Sets.Packed()
	r.set = c.roster.plan.AddSets(from, members, r.channel) - 1
	c.roster.channels = within(c.roster.channels, inner, w.Sets.Channels())
	c.roster.paths = within(c.roster.paths, inner, w.Names)
	outer, outerChannels := c.outside(n.node)
	r.outside, r.outsideChannels = outer, outerChannels

	c.roster.entries = slices.Grow(c.roster.entries, len(w.Names))
	known := map[int32]int32{} // addresses
	var nodes []int
	for i, name := range w.Names {
		node := n.reg[name]
		c.checkNode(n.path, name, node)
		e := member[B]{
			program: node.program,
			kind:    node.kind,
			world:   node.world,
			speaks:  speaks.has(i),
		}
		if node.scope != nil {
			c.remember(r.first+int32(i), node.scope)
		}
		e.address = c.address(&r, known, w.Out[i], e.speaks)
		c.roster.entries = append(c.roster.entries, e)
		if node.kind == KindNested {
			nodes = append(nodes, i)
		}
	}
	c.roster.plan.AddRoom(n.node, len(w.Names), func(i int) schedule.Entry {
		e := &c.roster.entries[int(r.first)+i]
		return schedule.Entry{
			Kind:   scheduleKind(e.kind),
			In:     setNumber(r.set, w.In[i]),
			Out:    setNumber(r.set, w.Out[i]),
			Hears:  hears.has(i),
			Speaks: e.speaks,
		}
	})
	c.roster.rooms = append(c.roster.rooms, r)
	for _, i := range nodes {
		c.nest(n, r, i)
	}
	c.checkCollisions(inner, w, nodes)
}

func prefixOf(path Name) string {
	if path == "" {
		return ""
	}
	return path + "/"
}

func scheduleKind(k Kind) schedule.Kind {
	switch k {
	case KindNested:
		return schedule.Node
	case KindExternal:
		return schedule.Seat
	}
	return schedule.Agent
}

func setNumber(first, set int32) int32 {
	if set == 0 {
		return 0
	}
	return first + set
}

// within appends names with a prefix. The first list, which has none, is kept as
// it is.
func within(all []string, prefix string, names []string) []string {
	if all == nil {
		return slices.Clip(names)
	}
	for _, name := range names {
		all = append(all, prefix+name)
	}
	return all
}

// remember keeps what an entry of a flattened graph was nested in.
func (c *compiler[B]) remember(e int32, s *scope) {
	if c.roster.scopes == nil {
		c.roster.scopes = map[int32]*scope{}
	}
	c.roster.scopes[e] = s
}

// outside returns what Outside means in the room inside a node: the node's own
// channels and, where it speaks for the node around it, what Outside means there.
func (c *compiler[B]) outside(node int32) ([]Channel, []int32) {
	if node == schedule.None {
		return nil, nil
	}
	around := c.roster.room(node)
	names, channels := c.roster.full(around, around.sets.Members(c.roster.out(node)))
	if c.roster.entries[node].speaks {
		names, channels = merge(names, channels, around.outside, around.outsideChannels)
	}
	return names, channels
}

// address returns the number of where an entry posts if it does not choose.
func (c *compiler[B]) address(m *room, known map[int32]int32, out int32, speaks bool) int32 {
	speaks = speaks && len(m.outside) > 0
	if channels := m.sets.Members(out); !speaks && len(channels) < 2 {
		if len(channels) == 0 {
			return 0
		}
		return alone(m.channel + channels[0])
	}
	key := out << 1
	if speaks {
		key |= 1
	}
	number, ok := known[key]
	if !ok {
		number = listed(len(c.roster.addresses))
		c.roster.addresses = append(c.roster.addresses, m.address(out, speaks))
		known[key] = number
	}
	return number
}

// nest puts the inside of a node on the list, unless it would not end.
func (c *compiler[B]) nest(n nesting[B], r room, i int) {
	e := r.first + int32(i)
	path := c.roster.paths[e]
	inside := n.reg[r.names[i]].inside
	if inside.graph.IsEmpty() {
		c.fault(path, path, ErrEmptyNested)
		return
	}
	for a := n.chain; a != nil; a = a.above {
		if a.graph == inside.graph.root && a.reg == identity(inside.reg) {
			c.fault(path, path, ErrRecursiveNesting)
			return
		}
	}
	c.todo = append(c.todo, nesting[B]{inside.graph, inside.reg, inside.ports, e, path, chained(n.chain, inside.graph, inside.reg)})
}

func chained[B any](above *ancestors[B], g Graph, reg Registry[B]) *ancestors[B] {
	return &ancestors[B]{g.root, identity(reg), above}
}

func identity[B any](reg Registry[B]) uintptr { return reflect.ValueOf(reg).Pointer() }

func (c *compiler[B]) fault(path Name, culprit string, err error) {
	c.faults = append(c.faults, &Fault{Path: path, Culprit: culprit, Err: err})
}

func (c *compiler[B]) checkChannels(path Name, w *expr.Wires) {
	bad := func(ch Channel) {
		if _, ok := w.Sets.Channel(ch); ok {
			c.fault(path, ch, ErrBadChannel)
		}
	}
	bad("")
	bad(Everyone)
	bad(Outside)
}

func (c *compiler[B]) checkNode(path, name Name, node Node[B]) {
	if name == "" {
		c.fault(path, name, ErrBadName)
		return
	}
	inner := prefixOf(path)
	if node.kind == KindNone || node.kind == KindAtomic && node.program == nil {
		c.fault(inner+name, inner+name, ErrMissingAgent)
	}
}

// checkCollisions looks for names that begin like those inside a node.
func (c *compiler[B]) checkCollisions(inner string, w *expr.Wires, nodes []int) {
	if len(nodes) == 0 {
		return
	}
	channels := sorted(w.Sets.Channels())
	for _, i := range nodes {
		begin := w.Names[i] + "/"
		for _, name := range startingWith(w.Names, begin) {
			c.fault(inner+name, inner+name, ErrCollision)
		}
		for _, ch := range startingWith(channels, begin) {
			c.fault(inner+w.Names[i], ch, ErrCollision)
		}
	}
}

func startingWith(ascending []string, begin string) []string {
	from := sort.SearchStrings(ascending, begin)
	to := from
	for to < len(ascending) && strings.HasPrefix(ascending[to], begin) {
		to++
	}
	return ascending[from:to]
}

// chosen is the members that a port names; nil is all of them.
type chosen map[int]bool

func (c chosen) has(i int) bool { return c == nil || c[i] }

// ports reads Hears and Speaks.
func (c *compiler[B]) ports(n nesting[B], w *expr.Wires) (hears, speaks chosen) {
	for _, port := range n.ports {
		into := &hears
		if port.speaks {
			into = &speaks
		}
		if *into == nil {
			*into = chosen{}
		}
		if len(port.names) == 0 {
			c.fault(n.path, "", ErrBadPort)
		}
		for _, name := range port.names {
			i, ok := slices.BinarySearch(w.Names, name)
			if !ok {
				c.fault(n.path, name, ErrBadPort)
			}
			(*into)[i] = true
		}
	}
	return hears, speaks
}
