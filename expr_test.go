package agentgraph_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph"
)

// expr is a graph expression as the conformance cases write it.
type expr struct {
	Empty    bool         `json:"empty,omitempty"`
	Vertex   *string      `json:"vertex,omitempty"`
	Vertices []string     `json:"vertices,omitempty"`
	Overlay  []expr       `json:"overlay,omitempty"`
	Connect  *connectExpr `json:"connect,omitempty"`
	Bus      *listExpr    `json:"bus,omitempty"`
	Chain    *listExpr    `json:"chain,omitempty"`
	Star     *starExpr    `json:"star,omitempty"`
	Pipeline *listExpr    `json:"pipeline,omitempty"` // its channel is the prefix; the cases lack it
}

type connectExpr struct {
	Channels []string `json:"channels"`
	Left     expr     `json:"left"`
	Right    expr     `json:"right"`
}

type listExpr struct {
	Names   []string `json:"names"`
	Channel string   `json:"channel"`
}

type starExpr struct {
	Hub         string   `json:"hub"`
	Leaves      []string `json:"leaves"`
	HubChannel  string   `json:"hub_channel"`
	LeafChannel string   `json:"leaf_channel"`
}

// nodeExpr is a registry's entry as the cases write it. A box, which they lack,
// is a graph that ToAgent makes an agent of.
type nodeExpr struct {
	Agent    *program    `json:"agent,omitempty"`
	Nested   *nestedExpr `json:"nested,omitempty"`
	External bool        `json:"external,omitempty"`
	Box      *nestedExpr `json:"box,omitempty"`
}

type nestedExpr struct {
	Graph    expr         `json:"graph"`
	Registry registryExpr `json:"registry"`
	Entry    []string     `json:"entry"` // nil: all
	Exit     []string     `json:"exit"`  // nil: all
}

type registryExpr map[string]nodeExpr

// graph is the expression in the library's own operators.
func (e expr) graph() agentgraph.Graph {
	switch {
	case e.Vertex != nil:
		return agentgraph.Vertex(*e.Vertex)
	case e.Vertices != nil:
		return agentgraph.Vertices(e.Vertices...)
	case e.Overlay != nil:
		var parts []agentgraph.Graph
		for _, part := range e.Overlay {
			parts = append(parts, part.graph())
		}
		return agentgraph.Overlay(parts...)
	case e.Connect != nil:
		c := e.Connect
		return agentgraph.Connect(agentgraph.Channels(c.Channels...), c.Left.graph(), c.Right.graph())
	case e.Bus != nil:
		return agentgraph.Bus(e.Bus.Names, e.Bus.Channel)
	case e.Chain != nil:
		return agentgraph.Chain(e.Chain.Names, e.Chain.Channel)
	case e.Star != nil:
		return agentgraph.Star(e.Star.Hub, e.Star.Leaves, e.Star.HubChannel, e.Star.LeafChannel)
	case e.Pipeline != nil:
		return agentgraph.Pipeline(e.Pipeline.Names, e.Pipeline.Channel)
	}
	return agentgraph.Empty()
}

// registry is the entries in the library's own terms. Path is that of the nested
// node they are in, with a slash, or empty.
func (r registryExpr) registry(w *world, path string) agentgraph.Registry[string] {
	reg := agentgraph.Registry[string]{}
	for name, n := range r {
		switch {
		case n.Agent != nil:
			reg[name] = agentgraph.Atomic(n.Agent.agent(w, path+name))
		case n.External:
			reg[name] = agentgraph.External[string]()
		case n.Nested != nil:
			inner := n.Nested.Registry.registry(w, path+name+"/")
			reg[name] = agentgraph.Nested(n.Nested.Graph.graph(), inner, n.Nested.ports()...)
		case n.Box != nil:
			a, err := agentgraph.ToAgent(n.Box.Graph.graph(), n.Box.Registry.registry(w, ""), n.Box.ports()...)
			if err != nil {
				panic(err)
			}
			reg[name] = agentgraph.Atomic(a)
		}
	}
	return reg
}

func (n nestedExpr) ports() []agentgraph.Port {
	var ports []agentgraph.Port
	if n.Entry != nil {
		ports = append(ports, agentgraph.Hears(n.Entry...))
	}
	if n.Exit != nil {
		ports = append(ports, agentgraph.Speaks(n.Exit...))
	}
	return ports
}

// shape is a graph written out: its vertices and the channels of each edge. It
// is what an expression means, found by recursion and with maps.
type shape struct {
	vertices set
	edges    map[[2]string]set
}

type set map[string]bool

func setOf(names ...string) set {
	s := set{}
	for _, name := range names {
		s[name] = true
	}
	return s
}

func (s set) sorted() []string { return slices.Sorted(maps.Keys(s)) }

func (s set) add(names set) { maps.Copy(s, names) }

func newShape(names ...string) shape {
	return shape{setOf(names...), map[[2]string]set{}}
}

func (s shape) add(from, to string, channels ...string) {
	if len(channels) == 0 {
		return
	}
	edge := [2]string{from, to}
	if s.edges[edge] == nil {
		s.edges[edge] = set{}
	}
	s.edges[edge].add(setOf(channels...))
}

func (s shape) overlay(t shape) shape {
	both := newShape()
	for _, part := range []shape{s, t} {
		both.vertices.add(part.vertices)
		for edge, channels := range part.edges {
			both.add(edge[0], edge[1], channels.sorted()...)
		}
	}
	return both
}

func (s shape) connect(t shape, channels ...string) shape {
	both := s.overlay(t)
	for from := range s.vertices {
		for to := range t.vertices {
			both.add(from, to, channels...)
		}
	}
	return both
}

// edgeList is the edges as the cases write them: from, to, channels; sorted.
func (s shape) edgeList() [][]any {
	list := [][]any{}
	edges := slices.SortedFunc(maps.Keys(s.edges), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, edge := range edges {
		list = append(list, []any{edge[0], edge[1], s.edges[edge].sorted()})
	}
	return list
}

// wiring is the channels that a vertex hears and those that it posts to.
func (s shape) wiring(vertex string) (in, out set) {
	in, out = set{}, set{}
	for edge, channels := range s.edges {
		if edge[0] == vertex {
			out.add(channels)
		}
		if edge[1] == vertex {
			in.add(channels)
		}
	}
	return in, out
}

func (e expr) shape() shape {
	switch {
	case e.Vertex != nil:
		return newShape(*e.Vertex)
	case e.Vertices != nil:
		return newShape(e.Vertices...)
	case e.Connect != nil:
		return e.Connect.Left.shape().connect(e.Connect.Right.shape(), e.Connect.Channels...)
	case e.Bus != nil:
		all := newShape(e.Bus.Names...)
		return all.connect(all, e.Bus.Channel)
	case e.Star != nil:
		hub, leaves := newShape(e.Star.Hub), newShape(e.Star.Leaves...)
		return hub.connect(leaves, e.Star.HubChannel).overlay(leaves.connect(hub, e.Star.LeafChannel))
	case e.Pipeline != nil:
		line := newShape(e.Pipeline.Names...)
		for i, name := range e.Pipeline.Names[1:] {
			line.add(e.Pipeline.Names[i], name, fmt.Sprintf("%s.%d", e.Pipeline.Channel, i+1))
		}
		return line
	}
	all := newShape()
	for _, part := range e.Overlay {
		all = all.overlay(part.shape())
	}
	if e.Chain != nil {
		for _, name := range e.Chain.Names {
			all = all.connect(newShape(name), e.Chain.Channel)
		}
	}
	return all
}
