package agentgraph

import (
	"slices"
	"sort"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// Wiring is the channels that an agent subscribes to and posts to.
type Wiring struct{ In, Out ChannelSet }

// ChannelMap returns the wiring of every vertex. A vertex posts to the union of
// the labels of its outgoing edges and subscribes to the union of the labels of
// its incoming ones. It costs O(size log size), and as much again as it returns.
func ChannelMap(g Graph) map[Name]Wiring {
	w := g.root.Wires()
	m := make(map[Name]Wiring, len(w.Names))
	for i, name := range w.Names {
		m[name] = Wiring{In: ChannelSet{w.Sets.Names(w.In[i])}, Out: ChannelSet{w.Sets.Names(w.Out[i])}}
	}
	return m
}

// ToRoster checks and routes a graph. It copies what it is given, so later
// changes to the registry do not show. All that is wrong comes back together, as
// a *[GraphError]: [ErrMissingAgent], [ErrBadName], [ErrBadChannel],
// [ErrEmptyNested], [ErrBadPort], [ErrCollision], [ErrRecursiveNesting].
//
// It costs O(size log size) of the graph and of all graphs nested in it.
func ToRoster[B any](g Graph, reg Registry[B]) (*Roster[B], error) {
	return compile(g, reg)
}

// Roster is a graph that has been checked and routed. It is immutable and safe
// for concurrent use; each meeting of it keeps its own state. The zero Roster is
// that of the empty graph.
type Roster[B any] struct {
	plan      *schedule.Plan
	rooms     []room
	paths     []Name // of the entries
	entries   []member[B]
	scopes    map[int32]*scope // of entries of a flattened graph
	channels  []Channel        // full names by number
	addresses [][]Channel      // of several channels
	options   Options
	layers    []TurnFunc[B] // what Use added, the outermost first
}

// room is a graph in the roster: the top one, or the inside of a nested node.
type room struct {
	path            Name // of the node; empty for the top graph
	first           int32
	names           []Name // of its entries, sorted
	channel         int32  // the number of its first channel
	sets            *expr.Sets
	set             int32     // the number in the plan of its set 0, which is not there
	outside         []Channel // what Outside stands for in it, sorted
	outsideChannels []int32   // the same as numbers
}

// member is an entry of the roster: an agent, a seat, or a nested node. There can
// be millions, so what few have is kept beside them.
type member[B any] struct {
	program program[B] // of an agent
	address int32      // where it posts if it does not choose
	kind    Kind
	world   bool
	speaks  bool
}

// routed returns the roster itself, or what the zero Roster and nil stand for.
func (r *Roster[B]) routed() *Roster[B] {
	if r != nil && r.plan != nil {
		return r
	}
	empty, _ := compile[B](Graph{}, nil) // nothing in it can be wrong
	return empty
}

// GraphAgent is one entry of a roster.
type GraphAgent struct {
	Name    Name // its path
	Wiring       // by full names; of a member, with those channels of its node that it hears or speaks to
	Kind    Kind
	Entries []GraphAgent // of a nested node
}

// Entries returns what the roster holds, in name order, which is the order of
// turns in a pass.
func (r *Roster[B]) Entries() []GraphAgent {
	r = r.routed()
	entries := make([]GraphAgent, len(r.entries))
	for i := range r.entries {
		e := &r.entries[i]
		entries[i] = GraphAgent{Name: r.paths[i], Kind: e.kind, Wiring: Wiring{In: r.heard(int32(i)), Out: Channels(r.address(e.address)...)}}
	}
	for i := len(r.entries) - 1; i >= 0; i-- {
		if r.entries[i].kind == KindNested {
			first, n := r.plan.Inside(int32(i))
			entries[i].Entries = slices.Clip(entries[first : first+n])
		}
	}
	return slices.Clip(entries[:len(r.rooms[0].names)])
}

// heard returns the full names of all channels that an entry subscribes to.
func (r *Roster[B]) heard(e int32) ChannelSet {
	var names []Channel
	for e != schedule.None {
		in, hears, node := r.plan.Heard(e)
		for _, c := range in {
			names = append(names, r.channels[c])
		}
		if !hears {
			break
		}
		e = node
	}
	return Channels(names...)
}

// Hearers returns the paths of the agents and seats, at any depth, that a post
// from outside to these channels reaches, sorted. Channels inside nested nodes
// go by their full names, as "team/c". It answers why a post reached somebody,
// and why it reached nobody.
func (r *Roster[B]) Hearers(channels ...Channel) []Name {
	r = r.routed()
	paths := []Name{}
	r.plan.Hearers(r.route(channels), func(e int32) {
		paths = append(paths, r.paths[e])
	})
	return sorted(paths)
}

// route returns the numbers of the channels that the roster knows.
func (r *Roster[B]) route(channels []Channel) []int32 {
	route := make([]int32, 0, len(channels))
	for _, ch := range channels {
		if ch == Everyone {
			route = append(route, schedule.Everyone)
			continue
		}
		room, plain := r.within(ch)
		if c, ok := r.rooms[room].sets.Channel(plain); ok {
			route = append(route, r.rooms[room].channel+c)
		}
	}
	return route
}

// within returns the innermost room whose path a name begins with, and the rest.
func (r *Roster[B]) within(name string) (int32, string) {
	at := int32(0)
	for {
		node, rest := r.rooms[at].step(name)
		if node < 0 || r.entries[node].kind != KindNested {
			return at, name
		}
		at, name = r.plan.Inner(node), rest
	}
}

// step returns the entry whose name and a slash a longer name begins with. There
// can be several candidates, but not two of them with a nested node.
func (m *room) step(name string) (int32, string) {
	found, rest := int32(-1), ""
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if j := sort.SearchStrings(m.names, name[:i]); j < len(m.names) && m.names[j] == name[:i] {
			found, rest = m.first+int32(j), name[i+1:]
		}
	}
	return found, rest
}

// find returns the entry at a path.
func (r *Roster[B]) find(path Name) (int32, bool) {
	room, name := r.within(path)
	m := &r.rooms[room]
	i := sort.SearchStrings(m.names, name)
	if i == len(m.names) || m.names[i] != name {
		return 0, false
	}
	return m.first + int32(i), true
}

// full returns the full names of channels of a room and their numbers in the
// roster, in order of name.
func (r *Roster[B]) full(m *room, channels []int32) ([]Channel, []int32) {
	names, numbers := make([]Channel, len(channels)), make([]int32, len(channels))
	for i, c := range channels {
		numbers[i] = m.channel + c
		names[i] = r.channels[numbers[i]]
	}
	return names, numbers
}

// address returns the full names of where an entry of the room posts, sorted.
func (m *room) address(out int32, speaks bool) []Channel {
	to := slices.Clone(m.sets.Names(out).Within(prefixOf(m.path)))
	if speaks {
		to = append(to, m.outside...)
	}
	return sorted(to)
}

// merge joins two lists of channels into one in order of name, without repeats.
func merge(aNames []Channel, a []int32, bNames []Channel, b []int32) ([]Channel, []int32) {
	type numbered struct {
		name   Channel
		number int32
	}
	all := make([]numbered, 0, len(a)+len(b))
	for i := range a {
		all = append(all, numbered{aNames[i], a[i]})
	}
	for i := range b {
		all = append(all, numbered{bNames[i], b[i]})
	}
	slices.SortFunc(all, func(x, y numbered) int { return strings.Compare(x.name, y.name) })
	all = slices.Compact(all)
	names, numbers := make([]Channel, len(all)), make([]int32, len(all))
	for i, n := range all {
		names[i], numbers[i] = n.name, n.number
	}
	return names, numbers
}
