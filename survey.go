package agentgraph

import (
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/digraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
	"github.com/seed-a2b66b4f/agentgraph/internal/shadow"
)

// surveyed is every graph that can be reached from one graph and registry, each
// nested node once, however often it is nested.
type surveyed struct {
	charts     []*chart
	registries []*usage
}

// chart is a graph, with what its registry and ports say of its vertices.
type chart struct {
	*expr.Wires
	form          expr.Form
	registry      int32
	kinds         []Kind
	inner         []int32 // of each vertex: the chart of a nested node, or -1
	hears, speaks chosen  // as the inside of a node
	shadowed      []shadow.Found
}

// usage is a registry, and which of its entries have a vertex.
type usage struct {
	names []Name // sorted
	used  []bool
	path  Name // of the first graph with it
	met   bool
}

// entryKey tells the entries of all registries apart.
type entryKey struct {
	registry uintptr
	name     Name
}

func survey[B any](g Graph, reg Registry[B]) *surveyed {
	s := &surveyed{}
	charts, registries := map[entryKey]int32{}, map[uintptr]int32{}
	nodes := []Node[B]{Nested(g, reg)}
	var nested []digraph.Edge
	for i := 0; i < len(nodes); i++ {
		node := nodes[i].inside
		c := newChart(node.graph, node.ports)
		s.charts = append(s.charts, c)
		at, known := registries[identity(node.reg)]
		if !known {
			at = int32(len(s.registries))
			registries[identity(node.reg)] = at
			s.registries = append(s.registries, usageOf(node.reg))
		}
		c.registry = at
		s.registries[at].use(c.Names)
		for v, name := range c.Names {
			member := node.reg[name]
			c.kinds[v], c.inner[v] = member.kind, -1
			if member.kind != KindNested {
				continue
			}
			key := entryKey{identity(node.reg), name}
			inner, known := charts[key]
			if !known {
				inner = int32(len(nodes))
				charts[key] = inner
				nodes = append(nodes, member)
			}
			c.inner[v] = inner
			nested = append(nested, digraph.Edge{From: int32(i), To: inner})
		}
	}
	s.cutRecursion(nested)
	return s
}

func newChart(g Graph, ports []Port) *chart {
	c := &chart{Wires: g.root.Wires(), form: g.root.Form()}
	c.kinds, c.inner = make([]Kind, len(c.Names)), make([]int32, len(c.Names))
	for _, port := range ports {
		into := &c.hears
		if port.speaks {
			into = &c.speaks
		}
		if *into == nil {
			*into = chosen{}
		}
		for _, name := range port.names {
			if v, found := slices.BinarySearch(c.Names, name); found {
				(*into)[v] = true
			}
		}
	}
	return c
}

func usageOf[B any](reg Registry[B]) *usage {
	names := sortedKeys(reg)
	return &usage{names: names, used: make([]bool, len(names))}
}

// use marks sorted names as used.
func (u *usage) use(names []Name) {
	i := 0
	for _, name := range names {
		for i < len(u.names) && u.names[i] < name {
			i++
		}
		if i < len(u.names) && u.names[i] == name {
			u.used[i] = true
		}
	}
}

// cutRecursion takes the members from nodes that lead back to themselves.
func (s *surveyed) cutRecursion(nested []digraph.Edge) {
	loop := make([]int, len(s.charts))
	for i, component := range digraph.Loops(digraph.Adjacency(len(s.charts), nested)) {
		for _, c := range component {
			loop[c] = i + 1
		}
	}
	for i, c := range s.charts {
		for v, inner := range c.inner {
			if inner >= 0 && loop[i] > 0 && loop[i] == loop[inner] {
				c.inner[v] = -1
			}
		}
	}
}

func (s *surveyed) unusedEntries() []Finding {
	var findings []Finding
	for _, u := range s.registries {
		var names []Name
		for i, name := range u.names {
			if !u.used[i] {
				names = append(names, prefixOf(u.path)+name)
			}
		}
		if len(names) > 0 {
			findings = append(findings, Finding{Kind: LintUnused, Path: u.path, Names: names})
		}
	}
	return findings
}
