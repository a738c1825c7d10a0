package minutes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

type post = agentgraph.Post[string]

// history reads the journal of the run that the tests here use.
func history(t require.TestingT, store agentgraph.Store) *journal.History {
	h := journal.NewHistory(snapshot.NewKey())
	for r, err := range store.Read(context.Background(), "run", 0) {
		require.NoError(t, err)
		require.NoError(t, h.Add(r.Kind, r.Seq, r.Time, r.Data))
	}
	return h
}

// same requires the minutes to hold a log.
func same(t require.TestingT, want []post, got *minutes.Minutes) {
	wanted, err := json.Marshal(want)
	require.NoError(t, err)
	posts, err := json.Marshal(got.Posts)
	require.NoError(t, err)
	require.JSONEq(t, string(wanted), string(posts))
}

// world is a graph with nested nodes, seats, and agents that choose channels.
type world struct {
	graph agentgraph.Graph
	reg   agentgraph.Registry[string]
	seats []string
}

// draw makes a room of the world.
func draw(t *rapid.T, w *world, path string, depth int) (agentgraph.Graph, agentgraph.Registry[string], []agentgraph.Port) {
	names := []string{"a", "b", "c/d", "s"}
	if depth > 0 {
		names = append(names, "n")
	}
	g := agentgraph.Vertices(names...)
	for range rapid.IntRange(1, 6).Draw(t, path+" edges") {
		from, to := rapid.SampledFrom(names).Draw(t, "from"), rapid.SampledFrom(names).Draw(t, "to")
		ch := rapid.SampledFrom([]string{"x", "y", "c/z"}).Draw(t, "channel")
		g = agentgraph.Overlay(g, agentgraph.Connect(agentgraph.Channels(ch), agentgraph.Vertex(from), agentgraph.Vertex(to)))
	}
	speaking := []string{"a", "c/d", "n"}[:1+depth]
	ports := []agentgraph.Port{agentgraph.Speaks(speaking...), agentgraph.Hears("a", "s")}
	if rapid.Bool().Draw(t, path+" without ports") {
		speaking, ports = names, nil
	}
	reg := agentgraph.Registry[string]{"s": agentgraph.External[string]()}
	w.seats = append(w.seats, path+"s")
	for name, wiring := range agentgraph.ChannelMap(g) {
		may := slices.Collect(wiring.Out.All())
		if path != "" && slices.Contains(speaking, name) {
			may = append(may, agentgraph.Outside)
		}
		reg[name] = agentgraph.Atomic(agentgraph.Each(func(in post) []post { return answers(name, may, in) }))
	}
	reg["s"] = agentgraph.External[string]()
	if depth > 0 {
		inner, registry, ports := draw(t, w, path+"n/", depth-1)
		reg["n"] = agentgraph.Nested(inner, registry, ports...)
	}
	return g, reg, ports
}

// answers depends on the name and the input alone. Talk dies out.
func answers(name string, may []string, in post) []post {
	if len(in.Body) > 3 {
		return nil
	}
	hash := fnv.New32()
	fmt.Fprint(hash, name, in.Body, in.ID)
	n := int(hash.Sum32() >> 8)
	out := post{Body: in.Body + "<"}
	if n%2 == 0 && len(may) > 0 {
		out.To = []string{may[n/2%len(may)]}
	}
	if n%5 == 0 {
		out.Thread = append([]agentgraph.PostID{in.ID}, in.Thread...)
	}
	return slices.Repeat([]post{out}, n%3)
}

// TestLaw: the minutes of a meeting hold its log, however it stands: waiting,
// stopped by a limit, over, skipped, and at each of the attempts that it took.
func TestLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		w.graph, w.reg, _ = draw(t, w, "", 2)
		if rapid.Bool().Draw(t, "flattened") {
			var err error
			w.graph, w.reg, err = agentgraph.Flatten(w.graph, w.reg)
			require.NoError(t, err)
		}
		if rapid.Bool().Draw(t, "nested in another") {
			w.reg = agentgraph.Registry[string]{"top": agentgraph.Nested(w.graph, w.reg), "other": agentgraph.External[string]()}
			w.graph = agentgraph.Connect(agentgraph.Channels("o"), agentgraph.Vertices("top", "other"), agentgraph.Vertices("top", "other"))
			for i := range w.seats {
				w.seats[i] = "top/" + w.seats[i]
			}
		}
		roster, err := agentgraph.ToRoster(w.graph, w.reg)
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		inputs := []post{agentgraph.NewPost("u", []string{agentgraph.Everyone}, "1"), agentgraph.NewPost("u", []string{"x", "n/y"}, "2")}
		limit := rapid.SampledFrom([]int{3, 11, 80}).Draw(t, "turns")
		for attempt := range 4 {
			roster := roster.With(agentgraph.Options{Parallel: rapid.IntRange(0, 3).Draw(t, "parallel"), MaxTurns: limit})
			var log []post
			r := agentgraph.NewResumable("r", func(s *agentgraph.Step) (err error) {
				log, err = agentgraph.RunMeeting(s, "meet", roster, inputs)
				return err
			}, &agentgraph.ResumableOptions{Store: store})
			_, err := r.Run(context.Background(), "run", nil)
			h := history(t, store)
			got, readErr := minutes.Read(h, attempt, "meet")
			require.NoError(t, readErr)
			same(t, log, got)
			require.Equal(t, []string{"meet"}, minutes.Paths(h, attempt))
			if errors.Is(err, agentgraph.ErrWaiting) {
				answer(t, store, w)
				got, readErr = minutes.Read(history(t, store), attempt, "meet")
				require.NoError(t, readErr)
				same(t, log, got) // nobody has taken the answers yet
			}
		}
	})
}

// answer answers at some seats.
func answer(t *rapid.T, store agentgraph.Store, w *world) {
	for range rapid.IntRange(1, 3).Draw(t, "answers") {
		p := post{Body: rapid.SampledFrom([]string{"<<<yes", "n"}).Draw(t, "answer")}
		if rapid.Bool().Draw(t, "addressed") {
			p.To = []string{rapid.SampledFrom([]string{"x", "n/y", "n/n/x", "nowhere", agentgraph.Everyone}).Draw(t, "to")}
		}
		seat := rapid.SampledFrom(w.seats).Draw(t, "seat")
		err := agentgraph.AnswerSeat(context.Background(), store, "run", "meet", seat, p)
		if !errors.Is(err, agentgraph.ErrNotConnected) && !errors.Is(err, agentgraph.ErrNoQuestion) { // no such channel, or answered
			require.NoError(t, err)
		}
	}
}

// TestCutOff: whatever of a journal a killed process left, the minutes hold the
// beginning of the log.
func TestCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		w.graph, w.reg, _ = draw(t, w, "", 1)
		roster, err := agentgraph.ToRoster(w.graph, w.reg)
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		var log []post
		r := agentgraph.NewResumable("r", func(s *agentgraph.Step) (err error) {
			log, err = agentgraph.RunMeeting(s, "meet", roster.With(agentgraph.Options{MaxTurns: 30}), []post{agentgraph.NewPost("u", []string{"*"}, "1")})
			return err
		}, &agentgraph.ResumableOptions{Store: store})
		_, _ = r.Run(context.Background(), "run", nil) // a limit or a seat may end it
		h, longest := journal.NewHistory(snapshot.NewKey()), 0
		for r, err := range store.Read(context.Background(), "run", 0) {
			require.NoError(t, err)
			require.NoError(t, h.Add(r.Kind, r.Seq, r.Time, r.Data))
			m, err := minutes.Read(h, 0, "meet")
			if errors.Is(err, minutes.ErrNone) {
				continue
			}
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(m.Posts), longest)
			longest = len(m.Posts)
			same(t, log[:longest], m)
		}
		require.Len(t, log, longest)
	})
}

// TestHearers: who hears a channel is what the roster says.
func TestHearers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{}
		w.graph, w.reg, _ = draw(t, w, "", 2)
		roster, err := agentgraph.ToRoster(w.graph, w.reg)
		require.NoError(t, err)
		store := agentgraph.NewMemStore()
		r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			_, err := agentgraph.RunMeeting(s, "meet", roster, nil)
			return err
		}, &agentgraph.ResumableOptions{Store: store})
		_, err = r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		m, err := minutes.Read(history(t, store), 0, "meet")
		require.NoError(t, err)
		to := rapid.SliceOf(rapid.SampledFrom([]string{"x", "c/z", "n/y", "n/n/x", "nowhere", "*"})).Draw(t, "to")
		got := minutes.Hearers(m.Roster, to)
		slices.Sort(got)
		require.ElementsMatch(t, roster.Hearers(to...), got)
	})
}

func TestTurns(t *testing.T) {
	say := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "?"}} }))
	roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"ask", "human", "tell"}, "c"), agentgraph.Registry[string]{
		"ask": say, "human": agentgraph.External[string](), "tell": say,
	})
	require.NoError(t, err)
	store := agentgraph.NewMemStore()
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, []post{agentgraph.NewPost("ask", []string{"c"}, "skip"), agentgraph.NewPost("u", []string{"*"}, "hi")}[1:])
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	_, err = r.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "meet", "human", post{Body: "yes"}))
	_, err = r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	m, err := minutes.Read(history(t, store), 1, "meet")
	require.NoError(t, err)
	var told []string
	for _, turn := range m.Turns {
		told = append(told, fmt.Sprintf("%q/%q %d on %s: %d+%d %t", turn.Agent, turn.Seat, turn.N, turn.Input, turn.First, turn.Posts, turn.Mark.Cached))
	}
	require.Equal(t, []string{
		`""/"" 0 on #0: 0+1 false`,
		`"ask"/"" 0 on u#0: 1+1 true`,
		`"tell"/"" 0 on u#0: 2+1 true`,
		`""/"human" 0 on #0: 3+1 false`,
		`"tell"/"" 1 on human#0: 4+1 false`,
	}, told)
}

func TestNone(t *testing.T) {
	store := agentgraph.NewMemStore()
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		return s.Step("plain", func(*agentgraph.Step) error { return nil })
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	h := history(t, store)
	for _, path := range []string{"plain", "nothing"} {
		_, err = minutes.Read(h, 0, path)
		require.ErrorIs(t, err, minutes.ErrNone)
	}
	require.Empty(t, minutes.Paths(h, 0))
}
