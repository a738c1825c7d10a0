package agentgraph_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// ring is a queue of posts in an array.
type ring struct {
	posts      []ringPost
	head, tail int
}

type ringPost struct{ to, body int }

func (r *ring) push(p ringPost) {
	if r.tail-r.head == len(r.posts) {
		grown := make([]ringPost, max(16, 2*len(r.posts)))
		for i := r.head; i < r.tail; i++ {
			grown[i-r.head] = r.posts[i%len(r.posts)]
		}
		r.posts, r.tail, r.head = grown, r.tail-r.head, 0
	}
	r.posts[r.tail%len(r.posts)] = p
	r.tail++
}

func (r *ring) pop() (ringPost, bool) {
	if r.head == r.tail {
		return ringPost{}, false
	}
	p := r.posts[r.head%len(r.posts)]
	r.head++
	return p, true
}

// benchRing passes one post along n functions.
func benchRing(b *testing.B, n int) {
	agents := make([]func(int) int, n)
	for i := range agents {
		agents[i] = func(body int) int { return body + 1 }
	}
	var r ring
	for b.Loop() {
		r.push(ringPost{0, 0})
		for p, ok := r.pop(); ok; p, ok = r.pop() {
			if out := agents[p.to](p.body); p.to+1 < n {
				r.push(ringPost{p.to + 1, out})
			}
		}
	}
	perUnit(b, b.Elapsed(), n, "turn")
}

// benchRingBus gives each of 100 posts to n functions.
func benchRingBus(b *testing.B, n int) {
	counts, agents := make([]int, n), make([]func(), n)
	for i := range agents {
		agents[i] = func() { counts[i]++ }
	}
	var r ring
	for b.Loop() {
		for body := range 100 {
			for i := range agents {
				r.push(ringPost{i, body})
			}
			for p, ok := r.pop(); ok; p, ok = r.pop() {
				agents[p.to]()
			}
		}
	}
	perUnit(b, b.Elapsed(), 100*n, "turn")
}

// benchChannels passes one post along n goroutines.
func benchChannels(b *testing.B, n int) {
	first := make(chan int)
	last := first
	var all sync.WaitGroup
	for range n {
		in, out := last, make(chan int)
		all.Go(func() {
			for body := range in {
				out <- body + 1
			}
			close(out)
		})
		last = out
	}
	for b.Loop() {
		first <- 0
		require.Equal(b, n, <-last)
	}
	perUnit(b, b.Elapsed(), n, "turn")
	close(first)
	all.Wait()
}

func benchChannelPingPong(b *testing.B) {
	ping, pong := make(chan int), make(chan int)
	var all sync.WaitGroup
	all.Go(func() {
		for body := range ping {
			pong <- body + 1
		}
	})
	for b.Loop() {
		for body := 0; body < meetingTurns; body += 2 {
			ping <- body
			<-pong
		}
	}
	perUnit(b, b.Elapsed(), meetingTurns, "turn")
	close(ping)
	all.Wait()
}

// benchSliceAndMap builds a chain as a slice of nodes with a map of their names,
// and sorts it once.
func benchSliceAndMap(b *testing.B, names []agentgraph.Name) {
	type node struct {
		run  func(int) int
		next []int
		in   int
	}
	for b.Loop() {
		nodes, index := make([]node, 0, len(names)), make(map[agentgraph.Name]int, len(names))
		for i, name := range names {
			index[name] = i
			nodes = append(nodes, node{run: func(body int) int { return body + 1 }})
		}
		for i := 1; i < len(names); i++ {
			from, to := index[names[i-1]], index[names[i]]
			nodes[from].next = append(nodes[from].next, to)
			nodes[to].in++
		}
		sorted := 0
		for todo := []int{0}; len(todo) > 0; sorted++ {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, to := range nodes[at].next {
				if nodes[to].in--; nodes[to].in == 0 {
					todo = append(todo, to)
				}
			}
		}
		require.Equal(b, len(names), sorted)
	}
	perUnit(b, b.Elapsed(), len(names), "agent")
}
