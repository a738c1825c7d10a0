package agentgraph_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestBrokenGraphs breaks made-up graphs in one to three ways and compares what
// the reference and the library have against them.
func TestBrokenGraphs(t *testing.T) {
	everyScript(t, scripts(1_000), func(seed uint64) string {
		s := newWriter(seed).broken()
		_, ref := newReference(&world{}, s.Graph, s.Registry, 0)
		_, lib := agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(&world{}, ""))
		if want, got := faults(ref), faults(lib); !slices.Equal(want, got) {
			return fmt.Sprintf("%q and %q\n%s", want, got, s)
		}
		return ""
	})
}

func TestBrokenGraphsOfReference(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(1_000) {
		s := newWriter(seed).broken()
		_, err := newReference(&world{}, s.Graph, s.Registry, 0)
		var graph *agentgraph.GraphError
		if !errors.As(err, &graph) {
			met["none"]++
			continue
		}
		for _, f := range graph.Faults {
			met[errors.Unwrap(f).Error()]++
		}
	}
	for _, kind := range []error{
		agentgraph.ErrMissingAgent, agentgraph.ErrBadName, agentgraph.ErrBadChannel,
		agentgraph.ErrEmptyNested, agentgraph.ErrBadPort, agentgraph.ErrCollision,
	} {
		require.Greater(t, met[kind.Error()], 20, "%v: %v", kind, met)
	}
}

// faults is what an error has against a graph, sorted: the kind and what it is
// about.
func faults(err error) []string {
	if err == nil {
		return nil
	}
	var graph *agentgraph.GraphError
	if !errors.As(err, &graph) {
		return []string{"no GraphError: " + err.Error()}
	}
	var list []string
	for _, f := range graph.Faults {
		var fault *agentgraph.Fault
		if !errors.As(f, &fault) {
			return []string{"no Fault: " + f.Error()}
		}
		what := fault.Err.Error()
		switch fault.Err {
		case agentgraph.ErrMissingAgent, agentgraph.ErrEmptyNested:
			what += " " + fault.Path
		case agentgraph.ErrBadChannel, agentgraph.ErrBadPort:
			what += " " + fault.Culprit
		}
		list = append(list, what)
	}
	slices.Sort(list)
	return list
}

// broken makes up a script whose graph has something wrong, mostly.
func (w *writer) broken() script {
	s := script{}
	s.Graph, s.Registry = w.room("", 0, false)
	for range 1 + w.IntN(3) {
		w.spoil(&s.Graph, s.Registry, 0)
	}
	return s
}

// spoil breaks a graph, or one nested in it.
func (w *writer) spoil(g *expr, reg registryExpr, depth int) {
	names := g.shape().vertices.sorted()
	if len(names) == 0 {
		return
	}
	name := w.pick(names)
	if name == "" {
		return // what is inside a node without a name is nobody's business
	}
	n := reg[name]
	if n.Nested != nil && w.chance(60) {
		w.spoil(&n.Nested.Graph, n.Nested.Registry, depth+1)
		return
	}
	add := func(part expr) { g.Overlay = append(slices.Clone(g.Overlay), part) }
	switch w.IntN(6) {
	case 0:
		delete(reg, name)
	case 1:
		reg[""] = nodeExpr{External: true}
		add(expr{Vertices: []string{""}})
	case 2:
		channel := w.pick([]string{"", agentgraph.Everyone, agentgraph.Outside})
		add(expr{Bus: &listExpr{[]string{name}, channel}})
	case 3:
		add(expr{Bus: &listExpr{[]string{name}, w.pick(names) + "/k"}})
		reg[name+"/x"] = nodeExpr{External: true}
		add(expr{Vertices: []string{name + "/x"}})
	case 4:
		reg[name] = nodeExpr{Nested: &nestedExpr{Graph: expr{Empty: true}, Registry: registryExpr{}}}
	case 5:
		ports := [][]string{{}, {"nobody"}, nil, {"nobody", "nor this"}}
		inner := nestedExpr{Graph: expr{Vertices: []string{"x"}}, Registry: registryExpr{"x": {External: true}}}
		inner.Entry, inner.Exit = ports[w.IntN(len(ports))], ports[w.IntN(len(ports))]
		reg[name] = nodeExpr{Nested: &inner}
	}
}
