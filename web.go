package agentgraph

import (
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/digraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// web is who hears whom in all places at all depths, as a graph of two kinds of
// vertex: agents lead to the channels that they post to, channels to the agents
// that subscribe. Nested nodes stand in between: a channel leads to a node's
// ear, the ear to the members that hear, members that speak to the node's mouth,
// and that to channels. A seat is an ear and a mouth with nothing between.
type web struct {
	sites    []site
	vertices []thread
	edges    []digraph.Edge

	next, back packed.Lists[int32]
}

// site is a graph where it stands.
type site struct {
	chart      int32
	around     int32 // the site that it is nested in, or -1
	path       Name
	ear, mouth int32 // of its node, or -1
}

// thread is a vertex of the web.
type thread struct {
	name Name // full
	site int32
	role role
}

type role int8

const (
	roleAgent role = iota
	roleChannel
	roleSeatEar
	roleSeatMouth
	roleEar
	roleMouth
)

// web unrolls the nesting.
func (s *surveyed) web() *web {
	w := &web{sites: []site{{around: -1, ear: -1, mouth: -1}}}
	for i := 0; i < len(w.sites); i++ {
		w.addSite(s, int32(i))
	}
	w.next = digraph.Adjacency(len(w.vertices), w.edges)
	w.back = digraph.Adjacency(len(w.vertices), digraph.Reversed(w.edges))
	return w
}

func (w *web) addSite(s *surveyed, at int32) {
	here := w.sites[at]
	c, prefix := s.charts[here.chart], prefixOf(here.path)
	if u := s.registries[c.registry]; !u.met || here.path < u.path {
		u.met, u.path = true, here.path
	}
	first := int32(len(w.vertices))
	for _, ch := range c.Sets.Channels() {
		w.add(prefix+ch, at, roleChannel)
	}
	for v, name := range c.Names {
		ear, mouth := w.addMember(prefix+name, at, c.kinds[v])
		for _, ch := range c.Sets.Members(c.In[v]) {
			w.join(first+ch, ear)
		}
		for _, ch := range c.Sets.Members(c.Out[v]) {
			w.join(mouth, first+ch)
		}
		if here.ear >= 0 && c.hears.has(v) {
			w.join(here.ear, ear)
		}
		if here.mouth >= 0 && c.speaks.has(v) {
			w.join(mouth, here.mouth)
		}
		if c.inner[v] >= 0 {
			w.sites = append(w.sites, site{c.inner[v], at, prefix + name, ear, mouth})
		}
	}
}

// addMember returns where a vertex of a graph hears and where it speaks.
func (w *web) addMember(path Name, at int32, k Kind) (ear, mouth int32) {
	switch k {
	case KindNested:
		return w.add(path, at, roleEar), w.add(path, at, roleMouth)
	case KindExternal:
		return w.add(path, at, roleSeatEar), w.add(path, at, roleSeatMouth)
	}
	agent := w.add(path, at, roleAgent)
	return agent, agent
}

func (w *web) add(name Name, at int32, r role) int32 {
	w.vertices = append(w.vertices, thread{name, at, r})
	return int32(len(w.vertices) - 1)
}

func (w *web) join(from, to int32) { w.edges = append(w.edges, digraph.Edge{From: from, To: to}) }

// spread returns all that the start leads to, through nested nodes but no agent
// and no channel.
func (w *web) spread(along packed.Lists[int32], start func(v int32) bool) []bool {
	reached := make([]bool, len(w.vertices))
	var todo []int32
	for v := range int32(len(w.vertices)) {
		if start(v) {
			todo = append(todo, v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range along.Of(v) {
			if reached[to] {
				continue
			}
			reached[to] = true
			if r := w.vertices[to].role; r == roleEar || r == roleMouth {
				todo = append(todo, to)
			}
		}
	}
	return reached
}

// oneSided finds agents that nobody reaches, and channels with one side only.
func (w *web) oneSided() []Finding {
	is := func(v int32, r role) bool { return w.vertices[v].role == r }
	posted := w.spread(w.next, func(v int32) bool { return is(v, roleAgent) || is(v, roleSeatMouth) })
	heard := w.spread(w.back, func(v int32) bool { return is(v, roleAgent) || is(v, roleSeatEar) })
	reached := w.spread(w.next, func(v int32) bool { return is(v, roleChannel) && posted[v] })
	live := w.spread(w.next, func(v int32) bool { return is(v, roleAgent) && reached[v] || is(v, roleSeatMouth) })

	var findings []Finding
	unreachable := make([][]Name, len(w.sites))
	for i, t := range w.vertices {
		v := int32(i)
		switch {
		case t.role == roleAgent && !reached[v]:
			unreachable[t.site] = append(unreachable[t.site], t.name)
		case t.role != roleChannel:
		case posted[v] && !heard[v]:
			findings = append(findings, w.channelFinding(LintNoSubscriber, v, w.back))
		case heard[v] && !live[v]:
			findings = append(findings, w.channelFinding(LintNoPoster, v, w.next))
		}
	}
	for i, names := range unreachable {
		if len(names) > 0 {
			findings = append(findings, Finding{Kind: LintUnreachable, Path: w.sites[i].path, Names: names})
		}
	}
	return findings
}

// channelFinding names who stands beside a channel.
func (w *web) channelFinding(k FindingKind, ch int32, beside packed.Lists[int32]) Finding {
	t := w.vertices[ch]
	f := Finding{Kind: k, Path: w.sites[t.site].path, Channels: Channels(t.name)}
	for _, v := range beside.Of(ch) {
		f.Names = append(f.Names, w.vertices[v].name)
	}
	f.Names = sorted(f.Names)
	return f
}

// feedback finds the loops.
func (w *web) feedback() []Finding {
	var findings []Finding
	for _, loop := range digraph.Loops(w.next) {
		var names, channels []string
		around := w.vertices[loop[0]].site
		for _, v := range loop {
			t := w.vertices[v]
			switch t.role {
			case roleAgent:
				names = append(names, t.name)
				around = w.common(around, t.site)
			case roleChannel:
				channels = append(channels, t.name)
				around = w.common(around, t.site)
			}
		}
		slices.Sort(names)
		findings = append(findings, Finding{Kind: LintLoop, Path: w.sites[around].path, Names: names, Channels: Channels(channels...)})
	}
	return findings
}

// common returns the innermost site around two. A site has a higher number than
// the one around it.
func (w *web) common(a, b int32) int32 {
	for a != b {
		if a < b {
			a, b = b, a
		}
		a = w.sites[a].around
	}
	return a
}
