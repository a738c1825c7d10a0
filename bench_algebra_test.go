package agentgraph

import (
	"strconv"
	"testing"
)

func BenchmarkOperators(b *testing.B) {
	names, c := numberedNames(100_000), Channels("c")
	small, big := Vertex("a"), Chain(names, "c")
	for name, operator := range map[string]func() Graph{
		"Vertex":         func() Graph { return Vertex("a") },
		"Overlay/small":  func() Graph { return Overlay(small, small) },
		"Overlay/big":    func() Graph { return Overlay(big, big) },
		"Connect/small":  func() Graph { return Connect(c, small, small) },
		"Connect/big":    func() Graph { return Connect(c, big, big) },
		"Connect/deeper": func() Graph { return Connect(c, Connect(c, big, small), big) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = operator()
			}
		})
	}
}

// BenchmarkBuild builds a graph and its linear form.
func BenchmarkBuild(b *testing.B) {
	perSize(b, "Bus", func(names []Name) func() { return func() { Bus(names, "c").root.Form() } })
	perSize(b, "Star", func(names []Name) func() { return func() { Star("hub", names, "c", "d").root.Form() } })
	perSize(b, "Chain", func(names []Name) func() { return func() { Chain(names, "c").root.Form() } })
	perSize(b, "Pipeline", func(names []Name) func() { return func() { Pipeline(names, "p").root.Form() } })
	perSize(b, "Connect", func(names []Name) func() { return func() { connectAll(names).root.Form() } })
}

func BenchmarkLinear(b *testing.B) {
	perSize(b, "Pipeline", func(names []Name) func() {
		g := Pipeline(names, "p")
		return func() { g.root.Form() }
	})
	perSize(b, "Connect", func(names []Name) func() {
		g := connectAll(names)
		return func() { g.root.Form() }
	})
}

func BenchmarkMethods(b *testing.B) {
	perSize(b, "Names", func(names []Name) func() {
		g := Pipeline(names, "p")
		return func() { g.Names() }
	})
	perSize(b, "Edges", func(names []Name) func() {
		g := Pipeline(names, "p")
		return func() { g.Edges() }
	})
	perSize(b, "Transpose", func(names []Name) func() {
		g := Pipeline(names, "p")
		return func() { g.Transpose() }
	})
	perSize(b, "Equal/alike", func(names []Name) func() {
		g, h := Chain(names, "c"), Chain(names, "c")
		return func() { g.Equal(h) }
	})
	perSize(b, "Equal/channel", func(names []Name) func() {
		g, h := Chain(names, "c"), Chain(names, "d")
		return func() { g.Equal(h) }
	})
	perSize(b, "Equal/shape", func(names []Name) func() {
		g, h := Pipeline(names, "p"), Overlay(Vertex(names[0]), Pipeline(names, "p"))
		return func() { g.Equal(h) }
	})
}

// perSize measures something for rosters of many sizes, per agent.
func perSize(b *testing.B, name string, prepare func(names []Name) func()) {
	for n := 100; n <= 1_000_000; n *= 100 {
		b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
			run := prepare(numberedNames(n))
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/agent")
		})
	}
}

// connectAll is Chain as a user would write it.
func connectAll(names []Name) Graph {
	var g Graph
	c := Channels("c")
	for _, name := range names {
		g = Connect(c, g, Vertex(name))
	}
	return g
}
