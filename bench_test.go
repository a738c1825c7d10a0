package agentgraph_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// The workloads W1 to W5, each beside the floors that stand for the same work
// with no library: a ring of posts and plain calls, unbuffered Go channels, and a
// slice with a map. Each reports what one unit costs, garbage collection included.
//
//	go test -run '^$' -bench 'W[1-5]'

// meetingTurns is how long the meetings are over which a turn is measured.
const meetingTurns = 100_000

func BenchmarkW1Pipeline(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("n=%d/ring", n), func(b *testing.B) { benchRing(b, n) })
		b.Run(fmt.Sprintf("n=%d/channels", n), func(b *testing.B) { benchChannels(b, n) })
		r := pipeline(b, n)
		inputs := repeated(agentgraph.NewPost("user", []agentgraph.Channel{"hop.1"}, 0), meetingTurns/n)
		b.Run(fmt.Sprintf("n=%d/agentgraph", n), func(b *testing.B) { benchMeetings(b, r, inputs, meetingTurns) })
	}
}

func BenchmarkW2Bus(b *testing.B) {
	const messages = 100
	for _, n := range []int{10, 100, 1000} {
		counts := make([]int, n)
		r := busOf(b, n, counts)
		inputs := repeated(agentgraph.NewPost("user", []agentgraph.Channel{"bus"}, 0), messages)
		b.Run(fmt.Sprintf("n=%d/ring", n), func(b *testing.B) { benchRingBus(b, n) })
		b.Run(fmt.Sprintf("n=%d/agentgraph/delivery", n), func(b *testing.B) {
			var posting time.Duration
			for b.Loop() {
				m := r.Open()
				start := time.Now()
				require.NoError(b, m.Post(inputs...))
				posting += time.Since(start)
			}
			perUnit(b, posting, n*messages, "delivery")
		})
		b.Run(fmt.Sprintf("n=%d/agentgraph/delivery+turn", n), func(b *testing.B) {
			benchMeetings(b, r, inputs, n*messages)
		})
	}
}

func BenchmarkW3Feedback(b *testing.B) {
	b.Run("ring", func(b *testing.B) { benchRing(b, meetingTurns) })
	b.Run("channels", benchChannelPingPong)
	r := pingPong(b)
	inputs := repeated(agentgraph.NewPost("user", []agentgraph.Channel{"ping"}, 1), 1)
	b.Run("agentgraph", func(b *testing.B) { benchMeetings(b, r, inputs, meetingTurns) })
}

func BenchmarkW4FanOut(b *testing.B) {
	const n, nap = 32, 10 * time.Millisecond
	names, reg := named(n), agentgraph.Registry[int]{}
	for _, name := range names {
		reg[name] = agentgraph.Atomic(agentgraph.Each(func(agentgraph.Post[int]) []agentgraph.Post[int] {
			time.Sleep(nap)
			return nil
		}))
	}
	r, err := agentgraph.ToRoster(agentgraph.Bus(names, "all"), reg)
	require.NoError(b, err)
	r = r.With(agentgraph.Options{Parallel: n})
	for b.Loop() {
		_, err := r.Run(context.Background(), repeated(agentgraph.NewPost("user", []agentgraph.Channel{"all"}, 0), 1))
		require.NoError(b, err)
	}
}

// shapes are the graphs that are built and compiled, of any size.
var shapes = []struct {
	name  string
	build func([]agentgraph.Name) agentgraph.Graph
}{
	{"chain", func(n []agentgraph.Name) agentgraph.Graph { return agentgraph.Chain(n, "c") }},
	{"pipeline", func(n []agentgraph.Name) agentgraph.Graph { return agentgraph.Pipeline(n, "hop") }},
	{"bus", func(n []agentgraph.Name) agentgraph.Graph { return agentgraph.Bus(n, "c") }},
	{"star", func(n []agentgraph.Name) agentgraph.Graph { return agentgraph.Star(n[0], n[1:], "down", "up") }},
	{"random", randomGraph},
}

func BenchmarkW5Build(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000, 1_000_000} {
		names := named(n)
		reg := silent(names)
		b.Run(fmt.Sprintf("n=%d/slice+map", n), func(b *testing.B) { benchSliceAndMap(b, names) })
		for _, shape := range shapes {
			b.Run(fmt.Sprintf("n=%d/agentgraph/%s", n, shape.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := agentgraph.ToRoster(shape.build(names), reg)
					require.NoError(b, err)
				}
				perUnit(b, b.Elapsed(), n, "agent")
			})
		}
	}
}

// BenchmarkToRoster is W5 without the building, to see how it grows, beside the
// look-ups in the registry, of which it makes one for each agent.
func BenchmarkToRoster(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		names := named(n)
		reg := silent(names)
		b.Run(fmt.Sprintf("lookups/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				for _, name := range names {
					if _, ok := reg[name]; !ok {
						b.Fatal(name)
					}
				}
			}
			perUnit(b, b.Elapsed(), n, "agent")
		})
		for _, shape := range shapes {
			g := shape.build(names)
			b.Run(fmt.Sprintf("%s/n=%d", shape.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, err := agentgraph.ToRoster(g, reg)
					require.NoError(b, err)
				}
				perUnit(b, b.Elapsed(), n, "agent")
			})
		}
	}
}

// silent is a registry of agents that nobody will run.
func silent(names []agentgraph.Name) agentgraph.Registry[int] {
	reg := make(agentgraph.Registry[int], len(names))
	for _, name := range names {
		reg[name] = agentgraph.Atomic(agentgraph.Each(next))
	}
	return reg
}

// BenchmarkOpen is what a meeting costs before its first turn.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		r := pipeline(b, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				r.Open()
			}
			perUnit(b, b.Elapsed(), n, "agent")
		})
	}
}

// BenchmarkTurnAndSize is a turn of two agents that talk to each other, beside
// others that say nothing and after posts that nobody hears.
func BenchmarkTurnAndSize(b *testing.B) {
	for _, others := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("agents=%d", others), func(b *testing.B) { benchTalk(b, others, 10) })
	}
	for _, posts := range []int{10, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("log=%d", posts), func(b *testing.B) { benchTalk(b, 10, posts) })
	}
}

func benchTalk(b *testing.B, others, posts int) {
	names, reg := named(others), pingPongRegistry(func(n int) int { return n + 1 })
	for _, name := range names {
		reg[name] = agentgraph.Atomic(agentgraph.Each(next))
	}
	r, err := agentgraph.ToRoster(agentgraph.Overlay(pingPongGraph(), agentgraph.Bus(names, "quiet")), reg)
	require.NoError(b, err)
	m := r.With(agentgraph.Options{MaxTurns: meetingTurns}).Open()
	require.NoError(b, m.Post(repeated(agentgraph.NewPost("user", nil, 0), posts)...))
	require.NoError(b, m.Post(agentgraph.NewPost("user", []agentgraph.Channel{"ping"}, 1)))
	for b.Loop() {
		require.ErrorIs(b, m.Run(context.Background()), agentgraph.ErrTurnLimit)
	}
	perUnit(b, b.Elapsed(), meetingTurns, "turn")
}

// BenchmarkParallel is what working ahead costs where there is nothing to gain:
// agents that do nothing, against the same one at a time.
func BenchmarkParallel(b *testing.B) {
	for _, n := range []int{100, 1000} {
		rosters := map[string]*agentgraph.Roster[int]{
			"pipeline": pipeline(b, n),
			"bus":      busOf(b, n, make([]int, n)),
		}
		inputs := map[string][]agentgraph.Post[int]{
			"pipeline": repeated(agentgraph.NewPost("user", []agentgraph.Channel{"hop.1"}, 0), meetingTurns/n),
			"bus":      repeated(agentgraph.NewPost("user", []agentgraph.Channel{"bus"}, 0), meetingTurns/n),
		}
		for _, shape := range []string{"pipeline", "bus"} {
			for _, parallel := range []int{1, 2, 8, 32} {
				b.Run(fmt.Sprintf("%s/n=%d/parallel=%d", shape, n, parallel), func(b *testing.B) {
					r := rosters[shape].With(agentgraph.Options{MaxTurns: -1, Parallel: parallel})
					benchMeetings(b, r, inputs[shape], meetingTurns)
				})
			}
		}
	}
}

// BenchmarkLanes is eight lines of four stages, side by side, as pipelines of one
// graph and as nested teams, each stage taking 10 ms: 40 ms is the least.
func BenchmarkLanes(b *testing.B) {
	stage := agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[int]) []agentgraph.Post[int] {
		time.Sleep(10 * time.Millisecond)
		return next(in)
	}))
	line := agentgraph.Registry[int]{"s0": agentgraph.External[int](), "s1": stage, "s2": stage, "s3": stage, "s4": stage}
	names := []agentgraph.Name{"s0", "s1", "s2", "s3", "s4"}
	team := agentgraph.Nested(agentgraph.Pipeline(names, "hop"), line)
	pipes, teams := agentgraph.Empty(), agentgraph.Empty()
	pipesReg, teamsReg := agentgraph.Registry[int]{}, agentgraph.Registry[int]{}
	var pipesIn, teamsIn []agentgraph.Post[int]
	for i := range 8 {
		lane := fmt.Sprintf("lane%d", i)
		mine := func(name agentgraph.Name) agentgraph.Name { return lane + "-" + name }
		pipes = agentgraph.Overlay(pipes, agentgraph.Pipeline(names, lane).Rename(mine))
		for name, node := range line {
			pipesReg[mine(name)] = node
		}
		pipesIn = append(pipesIn, agentgraph.NewPost("user", []agentgraph.Channel{lane + ".1"}, 0))
		teams = agentgraph.Overlay(teams, agentgraph.Vertex(lane))
		teamsReg[lane] = team
		teamsIn = append(teamsIn, agentgraph.NewPost("user", []agentgraph.Channel{lane + "/hop.1"}, 0))
	}
	benchLanes(b, "pipelines", pipes, pipesReg, pipesIn)
	benchLanes(b, "teams", teams, teamsReg, teamsIn)
}

func benchLanes(b *testing.B, name string, g agentgraph.Graph, reg agentgraph.Registry[int], inputs []agentgraph.Post[int]) {
	r, err := agentgraph.ToRoster(g, reg)
	require.NoError(b, err)
	r = r.With(agentgraph.Options{Parallel: 32})
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			log, err := r.Run(context.Background(), inputs)
			require.NoError(b, err)
			require.Len(b, log, 8*5)
		}
	})
}

// benchMeetings runs meetings of so many turns, which are opened off the clock.
func benchMeetings(b *testing.B, r *agentgraph.Roster[int], inputs []agentgraph.Post[int], turns int) {
	b.ReportAllocs()
	var running time.Duration
	for b.Loop() {
		m := r.Open()
		require.NoError(b, m.Post(inputs...))
		start := time.Now()
		require.NoError(b, m.Run(context.Background()))
		running += time.Since(start)
	}
	perUnit(b, running, turns, "turn")
}

// perUnit reports what one of the units of an iteration took.
func perUnit(b *testing.B, took time.Duration, units int, unit string) {
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N)/float64(units), "ns/"+unit)
}

func next(in agentgraph.Post[int]) []agentgraph.Post[int] {
	return []agentgraph.Post[int]{{Body: in.Body + 1}}
}

func named(n int) []agentgraph.Name {
	names := make([]agentgraph.Name, n)
	for i := range names {
		names[i] = fmt.Sprintf("node-%07d", i)
	}
	return names
}

func repeated(p agentgraph.Post[int], n int) []agentgraph.Post[int] {
	posts := make([]agentgraph.Post[int], n)
	for i := range posts {
		posts[i] = p
	}
	return posts
}

// pipeline is n agents that pass a post on, fed from outside.
func pipeline(b *testing.B, n int) *agentgraph.Roster[int] {
	names := named(n + 1)
	reg := agentgraph.Registry[int]{names[0]: agentgraph.External[int]()}
	for _, name := range names[1:] {
		reg[name] = agentgraph.Atomic(agentgraph.Each(next))
	}
	r, err := agentgraph.ToRoster(agentgraph.Pipeline(names, "hop"), reg)
	require.NoError(b, err)
	return r.With(agentgraph.Options{MaxTurns: -1})
}

// busOf is n agents that count what they hear and say nothing.
func busOf(b *testing.B, n int, counts []int) *agentgraph.Roster[int] {
	names, reg := named(n), agentgraph.Registry[int]{}
	for i, name := range names {
		reg[name] = agentgraph.Atomic(agentgraph.Each(func(agentgraph.Post[int]) []agentgraph.Post[int] {
			counts[i]++
			return nil
		}))
	}
	r, err := agentgraph.ToRoster(agentgraph.Bus(names, "bus"), reg)
	require.NoError(b, err)
	return r.With(agentgraph.Options{MaxTurns: -1})
}

// pingPong is two agents that answer each other until a meeting is long enough.
func pingPong(b *testing.B) *agentgraph.Roster[int] {
	r, err := agentgraph.ToRoster(pingPongGraph(), pingPongRegistry(func(n int) int {
		if n == meetingTurns {
			return 0
		}
		return n + 1
	}))
	require.NoError(b, err)
	return r.With(agentgraph.Options{MaxTurns: -1})
}

func pingPongGraph() agentgraph.Graph {
	a, z := agentgraph.Vertex("a"), agentgraph.Vertex("z")
	return agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("ping"), a, z),
		agentgraph.Connect(agentgraph.Channels("pong"), z, a),
	)
}

// pingPongRegistry answers with the next number, and not at all with 0.
func pingPongRegistry(next func(int) int) agentgraph.Registry[int] {
	answer := agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[int]) []agentgraph.Post[int] {
		n := next(in.Body)
		if n == 0 {
			return nil
		}
		return []agentgraph.Post[int]{{Body: n}}
	}))
	return agentgraph.Registry[int]{"a": answer, "z": answer}
}

// randomGraph gives every agent two others to post to, on a channel of its own.
func randomGraph(names []agentgraph.Name) agentgraph.Graph {
	edges := make([]agentgraph.Graph, 0, 2*len(names))
	x := uint64(1)
	for _, from := range names {
		for range 2 {
			x = x*6364136223846793005 + 1442695040888963407
			to := names[int(x>>33)%len(names)]
			edges = append(edges, agentgraph.Connect(agentgraph.Channels(from), agentgraph.Vertex(from), agentgraph.Vertex(to)))
		}
	}
	return agentgraph.Overlay(edges...)
}
