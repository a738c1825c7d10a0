package agentgraph

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkW1x(b *testing.B) {
	for _, n := range []int{10, 1000} {
		names := make([]Name, n+1)
		reg := Registry[int]{}
		for i := range names {
			names[i] = fmt.Sprintf("node-%05d", i)
			reg[names[i]] = Atomic(Each(func(in Post[int]) []Post[int] { return []Post[int]{{Body: in.Body + 1}} }))
		}
		r, err := ToRoster(Pipeline(names, "p"), reg)
		if err != nil {
			b.Fatal(err)
		}
		r = r.With(Options{MaxTurns: -1})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			turns := 0
			for turns < b.N {
				m := r.Open()
				ps := []Post[int]{}
				for range 100000 / n {
					ps = append(ps, NewPost("u", []Channel{"p.1"}, 0))
				}
				m.Post(ps...)
				if err := m.Run(context.Background()); err != nil {
					b.Fatal(err)
				}
				turns += m.turns
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(turns), "ns/turn")
		})
	}
}
func BenchmarkW3x(b *testing.B) {
	reg := Registry[int]{}
	for _, n := range []string{"a", "b"} {
		reg[n] = Atomic(Each(func(in Post[int]) []Post[int] {
			if in.Body > 100000 {
				return nil
			}
			return []Post[int]{{Body: in.Body + 1}}
		}))
	}
	r, _ := ToRoster(Overlay(Connect(Channels("x"), Vertex("a"), Vertex("b")), Connect(Channels("y"), Vertex("b"), Vertex("a"))), reg)
	r = r.With(Options{MaxTurns: -1})
	b.ReportAllocs()
	turns := 0
	for turns < b.N {
		m := r.Open()
		m.Post(NewPost("u", []Channel{"x"}, 0))
		m.Run(context.Background())
		turns += m.turns
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(turns), "ns/turn")
}
func BenchmarkW2x(b *testing.B) {
	for _, n := range []int{10, 1000} {
		names := make([]Name, n)
		reg := Registry[int]{}
		counts := make([]int, n)
		for i := range names {
			names[i] = fmt.Sprintf("node-%05d", i)
			reg[names[i]] = Atomic(Each(func(in Post[int]) []Post[int] { counts[i]++; return nil }))
		}
		r, _ := ToRoster(Bus(names, "bus"), reg)
		r = r.With(Options{MaxTurns: -1})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			m := r.Open()
			k := 0
			for k*n < b.N {
				for range 100 {
					m.Post(NewPost("u", []Channel{"bus"}, 0))
					k++
				}
				m.Run(context.Background())
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(m.turns), "ns/delivery+turn")
		})
		b.Run("post"+fmt.Sprint(n), func(b *testing.B) {
			m := r.Open()
			k := 0
			for k*n < b.N {
				m.Post(NewPost("u", []Channel{"bus"}, 0))
				k++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(k*n), "ns/delivery")
		})
	}
}
func BenchmarkW5x(b *testing.B) {
	for _, n := range []int{100, 10000, 1000000} {
		names := make([]Name, n)
		reg := make(Registry[int], n)
		for i := range names {
			names[i] = fmt.Sprintf("node-%07d", i)
			reg[names[i]] = Atomic(Each(func(in Post[int]) []Post[int] { return nil }))
		}
		for _, k := range []string{"chain", "pipe", "bus"} {
			b.Run(k+fmt.Sprint(n), func(b *testing.B) {
				for range b.N {
					var g Graph
					switch k {
					case "chain":
						g = Chain(names, "c")
					case "pipe":
						g = Pipeline(names, "p")
					default:
						g = Bus(names, "c")
					}
					if _, err := ToRoster(g, reg); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/agent")
			})
		}
	}
}
