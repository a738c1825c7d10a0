package agentgraph

// Flatten replaces nested vertices by their subgraphs. Members bear their paths
// and inner channels their full names; an edge from a node becomes one from each
// member that speaks for it, an edge to it one to each that hears for it. All
// vertices of the result are atomic or external, and the registry holds exactly
// them. Their agents may write in To what they did before.
//
// The law: for agents whose outputs depend on the input alone ([Each]), running
// the graph and running its flattening give the same posts (From, To, Body) as
// multisets. Only the order differs, since a nested node runs until it is quiet
// inside one turn.
//
// It refuses what [ToRoster] refuses, with the same errors.
func Flatten[B any](g Graph, reg Registry[B]) (Graph, Registry[B], error) {
	r, err := compile(g, reg)
	if err != nil {
		return Graph{}, nil, err
	}
	f := flattener[B]{roster: r, reg: Registry[B]{}}
	return f.room(0, g, reg).graph, f.reg, nil
}

type flattener[B any] struct {
	roster *Roster[B]
	reg    Registry[B]
}

// flat is a part of a graph whose nodes have been replaced: the part itself, and
// what it posts and hears with. These may be the part itself where it holds no
// node, for its edges then are its own.
type flat struct {
	graph, speaking, hearing Graph
	plain                    bool
}

func plainly(g Graph) flat { return flat{g, g, g, true} }

// room flattens the graph of one room. It recurses on the depth of nesting.
func (f *flattener[B]) room(id int32, g Graph, reg Registry[B]) flat {
	m := &f.roster.rooms[id]
	inner := prefixOf(m.path)
	at := m.first - 1
	members := make(map[Name]flat, len(m.names))
	for _, name := range m.names {
		at++
		members[name] = f.member(at, reg[name])
	}
	return Fold(g, plainly(Empty()), func(name Name) flat {
		return members[name]
	}, func(channels ChannelSet, a, b flat) flat {
		return connected(ChannelSet{channels.names.Within(inner)}, a, b)
	})
}

func connected(channels ChannelSet, a, b flat) flat {
	if a.plain && b.plain {
		return plainly(Connect(channels, a.graph, b.graph))
	}
	return flat{
		graph:    Overlay(a.graph, b.graph, Connect(channels, a.speaking, b.hearing)),
		speaking: Overlay(a.speaking, b.speaking),
		hearing:  Overlay(a.hearing, b.hearing),
	}
}

// member flattens one entry. What a nested node speaks and hears with is the
// vertices that do, without their edges.
func (f *flattener[B]) member(at int32, node Node[B]) flat {
	if path := f.roster.paths[at]; node.kind != KindNested {
		node.scope = f.scope(at)
		f.reg[path] = node
		return plainly(Vertex(path))
	}
	part := f.room(f.roster.plan.Inner(at), node.inside.graph, node.inside.reg)
	speaking, hearing := f.open(at)
	return flat{graph: part.graph, speaking: Vertices(speaking...), hearing: Vertices(hearing...)}
}

// open returns the paths of the agents and seats that speak and hear for a node,
// at any depth.
func (f *flattener[B]) open(node int32) (speaking, hearing []Name) {
	first, n := f.roster.plan.Inside(node)
	for at := first; at < first+n; at++ {
		e := &f.roster.entries[at]
		s, h := []Name{f.roster.paths[at]}, []Name{f.roster.paths[at]}
		if e.kind == KindNested {
			s, h = f.open(at)
		}
		if e.speaks {
			speaking = append(speaking, s...)
		}
		if _, hears, _ := f.roster.plan.Heard(at); hears {
			hearing = append(hearing, h...)
		}
	}
	return speaking, hearing
}

// scope keeps what an agent means by the names of channels.
func (f *flattener[B]) scope(at int32) *scope {
	m, before := f.roster.placed(at)
	if m.path == "" {
		return before
	}
	s := &scope{prefix: prefixOf(m.path)}
	if f.roster.entries[at].speaks {
		s.speaks = true
		s.outside = ChannelSet{m.outside}
	}
	if before == nil {
		return s
	}
	s.outside = s.outside.Union(ChannelSet{before.outside.names.Within(s.prefix)})
	s.prefix += before.prefix
	s.speaks = s.speaks || before.speaks
	return s
}
