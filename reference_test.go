package agentgraph_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

// The reference interpreter: what the documentation says of meetings, spelled
// out in the plainest way, for the tests to compare the library with. It shares
// the library's posts and errors and none of its code. It recurses, it searches
// where the library knows, and an agent's every turn is worked out from its
// whole history.
//
// The schedule is the rule of places: an entry's next turn stands at the first
// of its slots (pass, entry) later than its turn before and than the arrival of
// the post it takes, and the earliest turn of all comes next. A post from outside
// arrives just after the last turn: that of an agent, or that of a nested node which
// has begun with taking its post in. Once nobody has anything left to hear, the
// next one begins with pass 0.

// place is a slot of a room.
type place struct{ pass, index int }

func (p place) before(q place) bool {
	return p.pass < q.pass || p.pass == q.pass && p.index < q.index
}

// begin is before pass 0.
var begin = place{-1, math.MaxInt}

type refRoom struct {
	node    *refEntry // that this is the inside of; nil at the top
	entries []*refEntry
	last    place // of the last turn
}

type refEntry struct {
	path  string
	index int // among the entries of its room
	room  *refRoom
	node  nodeExpr

	hears   set               // full names of the channels that it subscribes to
	own     map[string]string // the channels that it posts to: plain name to full name
	speaks  bool              // for the node it is nested in
	outside set               // what that node speaks to, and so on up

	inner    *refRoom // of a nested node
	busy     bool     // a nested node in the middle of its turn
	lastPass int      // of its latest turn
	inbox    []refItem
	history  []post
	boxed    *refMeeting // of a box
}

// refItem is a post in an inbox, with whom it reaches and when it came.
type refItem struct {
	post  post
	reach set
	at    place
}

// refMeeting offers what agentgraph.Meeting offers.
type refMeeting struct {
	world    *world
	top      *refRoom
	byPath   map[string]*refEntry
	maxTurns int
	count    map[string]int
	log      []post
	taken    int
	refused  error // of a box
}

// boxIn stands for what a box is given, whatever its channels.
const boxIn = "\x00in"

// newReference opens a meeting, or refuses the graph.
func newReference(w *world, g expr, reg registryExpr, maxTurns int) (*refMeeting, error) {
	if faults := refCheck(g.shape(), reg, "", ""); len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b error) int {
			return strings.Compare(a.(*agentgraph.Fault).Path, b.(*agentgraph.Fault).Path)
		})
		return nil, &agentgraph.GraphError{Faults: faults}
	}
	m := &refMeeting{world: w, maxTurns: maxTurns, byPath: map[string]*refEntry{}, count: map[string]int{}}
	m.top = m.room(nil, g, reg, "")
	m.top.last = begin
	return m, m.refused
}

// room lays out a graph. Scope goes before the names of its vertices and channels.
func (m *refMeeting) room(node *refEntry, g expr, reg registryExpr, scope string) *refRoom {
	r := &refRoom{node: node}
	s := g.shape()
	for i, name := range s.vertices.sorted() {
		in, out := s.wiring(name)
		e := &refEntry{path: scope + name, index: i, room: r, node: reg[name], lastPass: -1}
		e.hears, e.own, e.outside = set{}, map[string]string{}, set{}
		for channel := range in {
			e.hears[scope+channel] = true
		}
		for channel := range out {
			e.own[channel] = scope + channel
		}
		if node != nil && listed(node.node.Nested.Entry, name) {
			e.hears.add(node.hears)
		}
		if node != nil && listed(node.node.Nested.Exit, name) {
			e.speaks = true
			for _, full := range node.own {
				e.outside[full] = true
			}
			e.outside.add(node.outside)
		}
		r.entries = append(r.entries, e)
		m.byPath[e.path] = e
	}
	for _, e := range r.entries {
		if n := e.node.Nested; n != nil {
			e.inner = m.room(e, n.Graph, n.Registry, e.path+"/")
		}
		if e.node.Box != nil {
			e.boxed, m.refused = openBox(m.world, e.node.Box)
		}
	}
	return r
}

// listed says whether a port names a member; one that is not there names all.
func listed(port []string, name string) bool {
	return port == nil || slices.Contains(port, name)
}

// subscribes says whether a post that reaches these channels is for the entry.
func (e *refEntry) subscribes(reach set) bool {
	if e.inner != nil {
		return slices.ContainsFunc(e.inner.entries, func(m *refEntry) bool { return m.subscribes(reach) })
	}
	if reach[agentgraph.Everyone] {
		return true
	}
	for channel := range reach {
		if e.hears[channel] {
			return true
		}
	}
	return false
}

// slot is where the entry's next turn stands.
func (e *refEntry) slot() (place, bool) {
	if e.busy {
		return place{e.lastPass, e.index}, true
	}
	if e.node.External || len(e.inbox) == 0 {
		return place{}, false
	}
	arrival := e.inbox[0].at
	pass := arrival.pass
	if e.index <= arrival.index {
		pass++
	}
	return place{max(pass, e.lastPass+1), e.index}, true
}

// due finds the agent whose turn comes next in a room. Nested nodes that come up
// take their post in.
func (r *refRoom) due() *refEntry {
	for {
		var next *refEntry
		var at place
		for _, e := range r.entries {
			if slot, ok := e.slot(); ok && (next == nil || slot.before(at)) {
				next, at = e, slot
			}
		}
		if next == nil || next.inner == nil {
			return next
		}
		if !next.busy {
			next.open(at)
			r.last = at
		}
		if agent := next.inner.due(); agent != nil {
			return agent
		}
		next.busy = false
	}
}

// open begins a nested node's turn.
func (e *refEntry) open(at place) {
	item := e.inbox[0]
	e.inbox = e.inbox[1:]
	e.busy, e.lastPass, e.room.last = true, at.pass, at
	e.inner.last = begin
	for _, m := range e.inner.entries {
		m.lastPass = -1
		if m.subscribes(item.reach) {
			m.inbox = append(m.inbox, refItem{item.post, item.reach, begin})
		}
	}
}

// take lets an agent have its turn, or tells why it could not.
func (m *refMeeting) take(e *refEntry) (agentgraph.Turn[string], error) {
	in := e.inbox[0].post
	history := append(slices.Clone(e.history), in)
	outs, err := m.step(e, history)
	for i := range outs {
		if err != nil {
			break
		}
		outs[i].To, err = e.address(outs[i].To)
	}
	if err != nil {
		return agentgraph.Turn[string]{}, &agentgraph.AgentError{Agent: e.path, Input: in.ID, Err: err}
	}

	slot, _ := e.slot()
	e.lastPass, e.room.last = slot.pass, slot
	for n := e.room.node; n != nil; n = n.room.node {
		n.room.last = place{n.lastPass, n.index}
	}
	e.inbox, e.history = e.inbox[1:], history
	for i := range outs {
		outs[i].From = e.path
		if len(outs[i].Thread) == 0 {
			outs[i].Thread = []agentgraph.PostID{in.ID}
		}
		outs[i] = m.commit(outs[i])
		e.deliver(outs[i])
	}
	m.taken++
	return agentgraph.Turn[string]{N: m.taken - 1, Agent: e.path, Input: in, Outputs: outs}, nil
}

func (m *refMeeting) step(e *refEntry, history []post) ([]post, error) {
	if e.node.Box != nil {
		return e.boxed.askBox(e.node.Box, history[len(history)-1])
	}
	return e.node.Agent.respond(m.world, e.path, history)
}

// address turns what an agent wrote in To into full names.
func (e *refEntry) address(to []string) ([]string, error) {
	full := set{}
	if len(to) == 0 {
		for _, channel := range e.own {
			full[channel] = true
		}
		full.add(e.outside)
	}
	for _, channel := range to {
		name, ok := e.own[channel]
		switch {
		case channel == agentgraph.Outside && e.speaks:
			full.add(e.outside)
		case ok:
			full[name] = true
		default:
			may := slices.Sorted(maps.Keys(e.own))
			if e.speaks {
				may = append([]string{agentgraph.Outside}, may...)
			}
			return nil, &agentgraph.ChannelError{Channel: channel, May: may}
		}
	}
	return append([]string{}, full.sorted()...), nil
}

// commit gives a post its ID and writes it down.
func (m *refMeeting) commit(p post) post {
	p.ID = agentgraph.PostID{From: p.From, N: m.count[p.From]}
	m.count[p.From]++
	p.To = append([]string{}, setOf(p.To...).sorted()...)
	p.Thread = slices.Clone(p.Thread)
	slices.SortFunc(p.Thread, agentgraph.PostID.Compare)
	p.Thread = slices.Compact(p.Thread)
	m.log = append(m.log, p)
	return p
}

// deliver hands an agent's post to all who hear it, room by room outwards. The
// nodes around the agent do not get it back.
func (e *refEntry) deliver(p post) {
	reach := setOf(p.To...)
	for from := e; from != nil; from = from.room.node {
		for _, x := range from.room.entries {
			if (x != from || x == e) && x.subscribes(reach) {
				x.inbox = append(x.inbox, refItem{p, reach, from.room.last})
			}
		}
	}
}

// admit commits a post from outside. It arrives just after the last turn.
func (m *refMeeting) admit(p post, more ...string) {
	p = m.commit(p)
	reach := setOf(append(more, p.To...)...)
	for _, x := range m.top.entries {
		if x.subscribes(reach) {
			x.inbox = append(x.inbox, refItem{p, reach, m.top.last})
		}
	}
	if seat := m.byPath[p.From]; seat != nil {
		seat.inbox = slices.DeleteFunc(seat.inbox, func(item refItem) bool { return slices.Contains(p.Thread, item.post.ID) })
	}
}

func (m *refMeeting) Post(posts ...post) error {
	for _, p := range posts {
		if e := m.byPath[p.From]; e != nil && !e.node.External {
			return fmt.Errorf("agentgraph: %w: %q", agentgraph.ErrForged, p.From)
		}
	}
	for _, p := range posts {
		m.admit(p)
	}
	return nil
}

func (m *refMeeting) Turns(ctx context.Context) iter.Seq2[agentgraph.Turn[string], error] {
	return func(yield func(agentgraph.Turn[string], error) bool) {
		for n := 0; ; n++ {
			e := m.top.due()
			if e == nil {
				m.rest()
				return
			}
			err := m.mayGoOn(ctx, n)
			var turn agentgraph.Turn[string]
			if err == nil {
				turn, err = m.take(e)
			}
			if !yield(turn, err) || err != nil {
				return
			}
		}
	}
}

// rest lets what comes next begin with pass 0.
func (m *refMeeting) rest() {
	m.top.last = begin
	for _, e := range m.top.entries {
		e.lastPass = -1
	}
}

func (m *refMeeting) mayGoOn(ctx context.Context, turns int) error {
	limit := m.maxTurns
	if limit == 0 {
		limit = 10_000
	}
	if limit > 0 && turns == limit {
		return &agentgraph.TurnLimitError{Limit: limit, Talking: m.talking()}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("agentgraph: %w", ctx.Err())
	}
	return nil
}

func (m *refMeeting) Run(ctx context.Context) error {
	for _, err := range m.Turns(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *refMeeting) Log() []post { return slices.Clone(m.log) }

func (m *refMeeting) Pending() []agentgraph.Waiting[string] {
	waiting := []agentgraph.Waiting[string]{}
	for _, path := range m.paths() {
		w := agentgraph.Waiting[string]{At: path}
		for _, item := range m.byPath[path].inbox {
			w.Posts = append(w.Posts, item.post)
		}
		if len(w.Posts) > 0 {
			waiting = append(waiting, w)
		}
	}
	return waiting
}

func (m *refMeeting) paths() []string {
	paths := set{}
	for path := range m.byPath {
		paths[path] = true
	}
	return paths.sorted()
}

// talking is the agents that have something to hear.
func (m *refMeeting) talking() []string {
	var names []string
	for _, path := range m.paths() {
		if e := m.byPath[path]; e.inner == nil && !e.node.External && len(e.inbox) > 0 {
			names = append(names, path)
		}
	}
	return names
}

// hearers is the agents and seats that a post from outside reaches.
func (m *refMeeting) hearers(channels ...string) []string {
	var names []string
	for _, path := range m.paths() {
		if e := m.byPath[path]; e.inner == nil && e.subscribes(setOf(channels...)) {
			names = append(names, path)
		}
	}
	return names
}

// openBox opens the meeting inside a graph wrapped by ToAgent.
func openBox(w *world, box *nestedExpr) (*refMeeting, error) {
	m, err := newReference(w, box.Graph, box.Registry, 0)
	if err != nil {
		return nil, err
	}
	for _, name := range box.Entry {
		m.byPath[name].hearFor(name)
	}
	return m, nil
}

// askBox is what a box answers to one more post. Like a nested node's turn, it
// begins with pass 0.
func (m *refMeeting) askBox(box *nestedExpr, in post) ([]post, error) {
	if m.byPath[in.From] != nil {
		in.From = "../" + in.From
	}
	before := len(m.log)
	m.rest()
	m.admit(in, boxIn)
	if err := m.Run(context.Background()); err != nil {
		return nil, err
	}
	var outs []post
	for _, p := range m.log[before+1:] {
		if m.byPath[p.From].speaksFor(box.Exit) {
			outs = append(outs, post{Body: p.Body})
		}
	}
	return outs, nil
}

// hearFor lets an entry of a box hear everything that the box is given.
func (e *refEntry) hearFor(name string) {
	e.hears[boxIn] = true
	if e.inner == nil {
		return
	}
	for _, m := range e.inner.entries {
		member := strings.TrimPrefix(m.path, e.path+"/")
		if listed(e.node.Nested.Entry, member) {
			m.hearFor(member)
		}
	}
}

// speaksFor says whether an entry speaks for the box it is in.
func (e *refEntry) speaksFor(exit []string) bool {
	for ; e.room.node != nil; e = e.room.node {
		if !e.speaks {
			return false
		}
	}
	return listed(exit, e.path)
}

// refCheck is all that is wrong with a graph.
func refCheck(s shape, reg registryExpr, scope, node string) []error {
	var faults []error
	fault := func(path, culprit string, err error) {
		faults = append(faults, &agentgraph.Fault{Path: path, Culprit: culprit, Err: err})
	}
	channels := set{}
	for _, label := range s.edges {
		channels.add(label)
	}
	for _, channel := range channels.sorted() {
		if slices.Contains([]string{"", agentgraph.Everyone, agentgraph.Outside}, channel) {
			fault(node, channel, agentgraph.ErrBadChannel)
		}
	}
	for _, name := range s.vertices.sorted() {
		path := scope + name
		n := reg[name]
		if name == "" {
			fault(node, name, agentgraph.ErrBadName)
		}
		switch {
		case name != "" && n.Agent == nil && n.Nested == nil && n.Box == nil && !n.External:
			fault(path, path, agentgraph.ErrMissingAgent)
		case n.Nested != nil:
			faults = append(faults, refCheckNode(n.Nested, path)...)
			for _, other := range append(s.vertices.sorted(), channels.sorted()...) {
				if strings.HasPrefix(other, name+"/") {
					fault(scope+other, scope+other, agentgraph.ErrCollision)
				}
			}
		}
	}
	return faults
}

func refCheckNode(n *nestedExpr, path string) []error {
	inner := n.Graph.shape()
	if len(inner.vertices) == 0 {
		return []error{&agentgraph.Fault{Path: path, Culprit: path, Err: agentgraph.ErrEmptyNested}}
	}
	var faults []error
	for _, port := range [][]string{n.Entry, n.Exit} {
		if port != nil && len(port) == 0 {
			faults = append(faults, &agentgraph.Fault{Path: path, Err: agentgraph.ErrBadPort})
		}
		for _, name := range port {
			if !inner.vertices[name] {
				faults = append(faults, &agentgraph.Fault{Path: path, Culprit: name, Err: agentgraph.ErrBadPort})
			}
		}
	}
	return append(faults, refCheck(inner, n.Registry, path+"/", path)...)
}

// refFlatten is the flattened graph written out.
func refFlatten(g expr, reg registryExpr) (shape, error) {
	m, err := newReference(&world{}, g, reg, 0)
	if err != nil {
		return shape{}, err
	}
	flat := newShape()
	m.flatten(flat, m.top, g.shape(), "")
	return flat, nil
}

func (m *refMeeting) flatten(flat shape, r *refRoom, s shape, scope string) {
	for edge, channels := range s.edges {
		for _, from := range m.byPath[scope+edge[0]].members(func(n *nestedExpr) []string { return n.Exit }) {
			for _, to := range m.byPath[scope+edge[1]].members(func(n *nestedExpr) []string { return n.Entry }) {
				for channel := range channels {
					flat.add(from, to, scope+channel)
				}
			}
		}
	}
	for _, e := range r.entries {
		if e.inner == nil {
			flat.vertices[e.path] = true
			continue
		}
		m.flatten(flat, e.inner, e.node.Nested.Graph.shape(), e.path+"/")
	}
}

// flattened is the meeting of the flattened graph: all agents and seats in one
// room, each with the channels that it had.
func (m *refMeeting) flattened() *refMeeting {
	flat := &refMeeting{world: m.world, maxTurns: m.maxTurns, byPath: map[string]*refEntry{}, count: map[string]int{}}
	flat.top = &refRoom{last: begin}
	for _, path := range m.paths() {
		e := m.byPath[path]
		if e.inner != nil {
			continue
		}
		leaf := &refEntry{path: path, index: len(flat.top.entries), room: flat.top, node: e.node, lastPass: -1,
			hears: e.hears, own: e.own, speaks: e.speaks, outside: e.outside}
		if e.boxed != nil {
			leaf.boxed, flat.refused = openBox(m.world, e.node.Box)
		}
		flat.top.entries = append(flat.top.entries, leaf)
		flat.byPath[path] = leaf
	}
	return flat
}

// members is the agents and seats that hear or speak for an entry.
func (e *refEntry) members(port func(*nestedExpr) []string) []string {
	if e.inner == nil {
		return []string{e.path}
	}
	var paths []string
	for _, m := range e.inner.entries {
		if listed(port(e.node.Nested), strings.TrimPrefix(m.path, e.path+"/")) {
			paths = append(paths, m.members(port)...)
		}
	}
	return paths
}
