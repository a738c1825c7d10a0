package digraph

import (
	"math"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/packed"
)

// Loops returns the strongly connected components of a directed graph that hold
// a cycle: of two vertices and more, or of one with an edge to itself. Vertices
// stand in order, and components in order of their first. It costs O(vertices +
// edges) and does not recurse, for a ring of agents is as deep as it is long.
func Loops(next packed.Lists[int32]) [][]int32 {
	n := next.Len()
	w := walk{next: next, visited: make([]int32, n), low: make([]int32, n), tried: make([]int32, n)}
	for root := range int32(n) {
		if w.visited[root] == 0 {
			w.from(root)
		}
	}
	slices.SortFunc(w.found, slices.Compare)
	return w.found
}

// walk is Tarjan's algorithm with a stack of its own.
type walk struct {
	next    packed.Lists[int32]
	time    int32
	visited []int32 // when a vertex was reached, from 1; finished when its component is known
	low     []int32 // the earliest open vertex that it leads back to
	tried   []int32 // how many of its edges have been followed
	path    []int32
	open    []int32 // reached, of no known component
	found   [][]int32
}

const finished = math.MaxInt32

func (w *walk) from(root int32) {
	w.reach(root)
	for len(w.path) > 0 {
		v := w.path[len(w.path)-1]
		if ahead := w.next.Of(v); int(w.tried[v]) < len(ahead) {
			to := ahead[w.tried[v]]
			w.tried[v]++
			if w.visited[to] == 0 {
				w.reach(to)
			} else {
				w.low[v] = min(w.low[v], w.visited[to])
			}
			continue
		}
		w.path = w.path[:len(w.path)-1]
		if len(w.path) > 0 {
			before := w.path[len(w.path)-1]
			w.low[before] = min(w.low[before], w.low[v])
		}
		if w.low[v] == w.visited[v] {
			w.finish(v)
		}
	}
}

func (w *walk) reach(v int32) {
	w.time++
	w.visited[v], w.low[v] = w.time, w.time
	w.path = append(w.path, v)
	w.open = append(w.open, v)
}

// finish takes the component whose first vertex is v off the open ones.
func (w *walk) finish(v int32) {
	at := len(w.open) - 1
	for w.open[at] != v {
		at--
	}
	component := w.open[at:]
	w.open = w.open[:at]
	for _, u := range component {
		w.visited[u] = finished
	}
	if len(component) > 1 || slices.Contains(w.next.Of(v), v) {
		component = slices.Clone(component)
		slices.Sort(component)
		w.found = append(w.found, component)
	}
}
