package agentgraph

import "slices"

// Registry says what stands behind each name of a graph.
type Registry[B any] map[Name]Node[B]

// Node is what a registry holds under a name: an agent, a whole graph, or a
// seat outside. The zero Node stands for nothing; ToRoster refuses it.
type Node[B any] struct {
	program program[B] // of an agent
	inside  *inside[B] // of a nested graph
	scope   *scope     // of a vertex of a flattened graph
	kind    Kind
	world   bool // of an agent
}

// inside is a nested graph.
type inside[B any] struct {
	graph Graph
	reg   Registry[B]
	ports []Port
}

// Kind tells the nodes of a registry apart.
type Kind uint8

// The kinds of node. The zero Kind is that of the zero Node.
const (
	KindNone Kind = iota
	KindAtomic
	KindNested
	KindExternal
)

// String returns the kind in lower case.
func (k Kind) String() string {
	switch k {
	case KindAtomic:
		return "atomic"
	case KindNested:
		return "nested"
	case KindExternal:
		return "external"
	}
	return "none"
}

// Atomic is a node with one agent.
func Atomic[B any](a Agent[B]) Node[B] {
	return Node[B]{kind: KindAtomic, program: a.program, world: a.world}
}

// Nested is a whole graph under one name, with a registry of its own. On its turn it takes one post, hands
// it to the members that Hears names, and runs its members until none has
// anything left to hear; what the members that Speaks names post goes to the
// node's own outgoing channels too. Its inner channels are private to it.
func Nested[B any](g Graph, reg Registry[B], ports ...Port) Node[B] {
	return Node[B]{kind: KindNested, inside: &inside[B]{g, reg, slices.Clone(ports)}}
}

// External is a seat outside, for a person or another program: posts that reach
// it wait there and [Meeting.Pending] shows them, until a post of the seat that
// cites them in its Thread is given to [Meeting.Post]. It never takes a turn, and
// what it posts must name its channels.
//
// A meeting that runs as a step is not over while anything waits at a seat. To tell
// somebody something without waiting for an answer, use an agent that returns no
// posts.
func External[B any]() Node[B] {
	return Node[B]{kind: KindExternal}
}

// Port joins the members of a nested graph to the channels of the node.
type Port struct {
	speaks bool
	names  []Name
}

// Hears names the inner vertices that get the node's incoming channels. Without
// it all of them do. Several Hears add up. For [ToAgent] it names those that get
// every input.
func Hears(names ...Name) Port { return Port{names: slices.Clone(names)} }

// Speaks names the inner vertices that get the node's outgoing channels. Without
// it all of them do. Several Speaks add up. What such a member posts goes to all
// its channels, inside and outside, unless it names some in To.
func Speaks(names ...Name) Port { return Port{names: slices.Clone(names), speaks: true} }

// scope is what a vertex of a flattened graph remembers of the nodes it was
// nested in, so that what its agent writes in To means what it meant there.
type scope struct {
	prefix  string     // of its own graph's channels: "team/"
	outside ChannelSet // what Outside stands for
	speaks  bool       // whether it may say Outside
}
