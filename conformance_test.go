package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// conformanceCase is one case of testdata/conformance/graph, whose README
// explains it.
type conformanceCase struct {
	Name     string       `json:"name"`
	Graph    expr         `json:"graph"`
	Registry registryExpr `json:"registry"`
	Inputs   []struct {
		From string   `json:"from"`
		To   []string `json:"to"`
		Body string   `json:"body"`
	} `json:"inputs"`
	MaxTurns int  `json:"max_turns"`
	Want     want `json:"want"`
}

type want struct {
	Vertices []string `json:"vertices"`
	Edges    [][]any  `json:"edges"`
	Channels map[string]struct {
		In  []string `json:"in"`
		Out []string `json:"out"`
	} `json:"channels"`
	Log          []wantPost    `json:"log"`
	Turns        []wantTurn    `json:"turns"`
	Pending      []wantWaiting `json:"pending"`
	FlatVertices []string      `json:"flat_vertices"`
	FlatEdges    [][]any       `json:"flat_edges"`
	Error        *wantError    `json:"error"`
}

type wantPost struct {
	ID     string   `json:"id"`
	From   string   `json:"from"`
	To     []string `json:"to"`
	Thread []string `json:"thread"`
	Body   string   `json:"body"`
}

type wantTurn struct {
	Agent   string   `json:"agent"`
	Input   string   `json:"input"`
	Outputs []string `json:"outputs"`
}

type wantWaiting struct {
	At    string   `json:"at"`
	Posts []string `json:"posts"`
}

type wantError struct {
	Kind    string   `json:"kind"`
	Names   []string `json:"names"`
	Name    string   `json:"name"`
	Channel string   `json:"channel"`
	Limit   int      `json:"limit"`
	Agent   string   `json:"agent"`
	Input   string   `json:"input"`
	Message string   `json:"message"`
}

func conformanceCases(t *testing.T) []conformanceCase {
	t.Helper()
	var all []conformanceCase
	for _, file := range []string{"hand.json", "random.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", "conformance", "graph", file))
		require.NoError(t, err)
		var cases []conformanceCase
		require.NoError(t, json.Unmarshal(data, &cases))
		require.NotEmpty(t, cases, file)
		all = append(all, cases...)
	}
	return all
}

func (c conformanceCase) inputs() []post {
	posts := []post{}
	for _, in := range c.Inputs {
		posts = append(posts, agentgraph.NewPost(in.From, in.To, in.Body))
	}
	return posts
}

// meeting is what a Meeting offers, and the reference too.
type meeting interface {
	Post(posts ...post) error
	Run(ctx context.Context) error
	Turns(ctx context.Context) iter.Seq2[agentgraph.Turn[string], error]
	Log() []post
	Pending() []agentgraph.Waiting[string]
}

func TestConformanceOfReference(t *testing.T) {
	for _, c := range conformanceCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			s := c.Graph.shape()
			require.Equal(t, c.Want.Vertices, names(s.vertices.sorted()))
			requireJSON(t, c.Want.Edges, s.edgeList())
			require.Len(t, c.Want.Channels, len(s.vertices))
			for name, wiring := range c.Want.Channels {
				in, out := s.wiring(name)
				require.Equal(t, wiring.In, names(in.sorted()), name)
				require.Equal(t, wiring.Out, names(out.sorted()), name)
			}
			m, err := newReference(&world{}, c.Graph, c.Registry, c.MaxTurns)
			if err != nil {
				requireError(t, c.Want.Error, err)
				return
			}
			requireMeeting(t, c, m)
			if c.Want.FlatVertices == nil {
				return
			}
			flat, err := refFlatten(c.Graph, c.Registry)
			require.NoError(t, err)
			require.Equal(t, c.Want.FlatVertices, names(flat.vertices.sorted()))
			requireJSON(t, c.Want.FlatEdges, flat.edgeList())
		})
	}
}

func TestConformance(t *testing.T) {
	for _, c := range conformanceCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			g := c.Graph.graph()
			require.Equal(t, c.Want.Vertices, names(g.Names()))
			requireJSON(t, c.Want.Edges, edgeList(g))
			requireWiring(t, c, agentgraph.ChannelMap(g))

			roster, err := agentgraph.ToRoster(g, c.Registry.registry(&world{}, ""))
			if err != nil {
				requireError(t, c.Want.Error, err)
				_, err := agentgraph.RunGraph(context.Background(), g, c.Registry.registry(&world{}, ""), c.inputs())
				requireError(t, c.Want.Error, err)
				return
			}
			for _, parallel := range []int{1, 2, 8} {
				r := roster.With(agentgraph.Options{MaxTurns: c.MaxTurns, Parallel: parallel})
				requireMeeting(t, c, r.Open())
				requireRun(t, c, r)
			}
			requireRunGraph(t, c, g)
			requireFlat(t, c, g)
		})
	}
}

// requireMeeting runs the case turn by turn.
func requireMeeting(t *testing.T, c conformanceCase, m meeting) {
	t.Helper()
	if err := m.Post(c.inputs()...); err != nil {
		requireError(t, c.Want.Error, err)
		require.Empty(t, m.Log(), "a forged post takes the others with it")
		return
	}
	turns := []wantTurn{}
	var ended error
	for turn, err := range m.Turns(context.Background()) {
		require.NoError(t, ended, "the error comes last")
		if ended = err; err != nil {
			continue
		}
		require.Equal(t, len(turns), turn.N)
		turns = append(turns, wantTurn{turn.Agent, turn.Input.ID.String(), ids(turn.Outputs)})
	}
	requireError(t, c.Want.Error, ended)
	require.Equal(t, c.Want.Log, logOf(m.Log()))
	require.Equal(t, c.Want.Turns, turns)
	require.Equal(t, c.Want.Pending, waitingOf(m.Pending()))
	requireRoundTrip(t, m.Log())
	if ended == nil {
		require.NoError(t, m.Run(context.Background()), "what is quiet stays quiet")
		require.Equal(t, c.Want.Log, logOf(m.Log()))
	}
}

// requireRun checks that Roster.Run gives the log of the Turns loop, twice.
func requireRun(t *testing.T, c conformanceCase, r *agentgraph.Roster[string]) {
	t.Helper()
	first, err := r.Run(context.Background(), c.inputs())
	requireError(t, c.Want.Error, err)
	again, err := r.Run(context.Background(), c.inputs())
	requireError(t, c.Want.Error, err)
	require.Equal(t, asJSON(t, first), asJSON(t, again))
	if c.Want.Log != nil {
		require.Equal(t, c.Want.Log, logOf(first))
	}
}

// requireRunGraph checks RunGraph, which has its own limit of turns, on the
// cases that end without one.
func requireRunGraph(t *testing.T, c conformanceCase, g agentgraph.Graph) {
	t.Helper()
	if c.Want.Error != nil && c.Want.Error.Kind == "turn_limit" {
		return
	}
	log, err := agentgraph.RunGraph(context.Background(), g, c.Registry.registry(&world{}, ""), c.inputs())
	requireError(t, c.Want.Error, err)
	if c.Want.Log != nil {
		require.Equal(t, c.Want.Log, logOf(log))
	}
}

func requireFlat(t *testing.T, c conformanceCase, g agentgraph.Graph) {
	t.Helper()
	if c.Want.FlatVertices == nil {
		return
	}
	flat, reg, err := agentgraph.Flatten(g, c.Registry.registry(&world{}, ""))
	require.NoError(t, err)
	require.Equal(t, c.Want.FlatVertices, names(flat.Names()))
	requireJSON(t, c.Want.FlatEdges, edgeList(flat))
	require.Len(t, reg, len(c.Want.FlatVertices))
	for _, name := range c.Want.FlatVertices {
		require.Contains(t, reg, name)
	}
}

func requireWiring(t *testing.T, c conformanceCase, wiring map[string]agentgraph.Wiring) {
	t.Helper()
	require.Len(t, wiring, len(c.Want.Channels))
	for name, want := range c.Want.Channels {
		got, ok := wiring[name]
		require.True(t, ok, name)
		require.Equal(t, want.In, channelNames(got.In), name)
		require.Equal(t, want.Out, channelNames(got.Out), name)
	}
}

// requireRoundTrip checks that a log survives JSON.
func requireRoundTrip(t *testing.T, log []post) {
	t.Helper()
	data := asJSON(t, log)
	var back []post
	require.NoError(t, json.Unmarshal([]byte(data), &back))
	require.Len(t, back, len(log))
	for i := range log {
		require.Equal(t, log[i], back[i])
	}
}

// requireError checks that an error is the one wanted, with all that it names.
func requireError(t *testing.T, want *wantError, err error) {
	t.Helper()
	if want == nil {
		require.NoError(t, err)
		return
	}
	require.Error(t, err)
	kind, known := errorKinds[want.Kind]
	require.True(t, known, "no such kind: %s", want.Kind)
	switch want.Kind {
	case "turn_limit":
		var limit *agentgraph.TurnLimitError
		require.ErrorAs(t, err, &limit)
		require.ErrorIs(t, err, kind)
		require.Equal(t, want.Limit, limit.Limit)
		require.NotEmpty(t, limit.Talking)
	case "agent", "not_connected":
		var agent *agentgraph.AgentError
		require.ErrorAs(t, err, &agent)
		require.Equal(t, want.Agent, agent.Agent)
		require.Equal(t, want.Input, agent.Input.String())
		if want.Kind == "agent" {
			require.EqualError(t, agent.Err, want.Message)
			return
		}
		var channel *agentgraph.ChannelError
		require.ErrorIs(t, err, kind)
		require.ErrorAs(t, agent.Err, &channel)
		require.Equal(t, want.Message, channel.Channel)
	case "forged":
		require.ErrorIs(t, err, kind)
		require.ErrorContains(t, err, fmt.Sprintf("%q", want.Name))
	default:
		requireFaults(t, want, kind, err)
	}
}

func requireFaults(t *testing.T, want *wantError, kind, err error) {
	t.Helper()
	var graph *agentgraph.GraphError
	require.ErrorAs(t, err, &graph)
	require.ErrorIs(t, err, kind)
	culprits := []string{}
	for _, f := range graph.Faults {
		var fault *agentgraph.Fault
		require.ErrorAs(t, f, &fault)
		require.ErrorIs(t, fault, kind, "no other kind of fault is in the case")
		culprit := fault.Culprit
		if want.Kind == "missing" || want.Kind == "empty_nested" || want.Kind == "bad_name" {
			culprit = fault.Path
		}
		culprits = append(culprits, culprit)
	}
	wanted := want.Names
	switch {
	case want.Kind == "bad_channel":
		wanted = []string{want.Channel}
	case wanted == nil:
		wanted = []string{want.Name}
	}
	require.Equal(t, wanted, culprits)
}

var errorKinds = map[string]error{
	"missing":       agentgraph.ErrMissingAgent,
	"turn_limit":    agentgraph.ErrTurnLimit,
	"agent":         errors.New("an agent's own"),
	"not_connected": agentgraph.ErrNotConnected,
	"forged":        agentgraph.ErrForged,
	"collision":     agentgraph.ErrCollision,
	"bad_name":      agentgraph.ErrBadName,
	"bad_channel":   agentgraph.ErrBadChannel,
	"bad_port":      agentgraph.ErrBadPort,
	"empty_nested":  agentgraph.ErrEmptyNested,
}

func logOf(log []post) []wantPost {
	posts := []wantPost{}
	for _, p := range log {
		thread := []string{}
		for _, id := range p.Thread {
			thread = append(thread, id.String())
		}
		posts = append(posts, wantPost{p.ID.String(), p.From, p.To, thread, p.Body})
	}
	return posts
}

func waitingOf(pending []agentgraph.Waiting[string]) []wantWaiting {
	waiting := []wantWaiting{}
	for _, w := range pending {
		waiting = append(waiting, wantWaiting{w.At, ids(w.Posts)})
	}
	return waiting
}

func ids(posts []post) []string {
	texts := []string{}
	for _, p := range posts {
		texts = append(texts, p.ID.String())
	}
	return texts
}

// names makes an empty list of a nil one.
func names(list []string) []string { return append([]string{}, list...) }

func channelNames(s agentgraph.ChannelSet) []string {
	list := []string{}
	for channel := range s.All() {
		list = append(list, channel)
	}
	return list
}

func edgeList(g agentgraph.Graph) [][]any {
	list := [][]any{}
	for _, e := range g.Edges() {
		list = append(list, []any{e.From, e.To, channelNames(e.Channels)})
	}
	return list
}

func requireJSON(t *testing.T, want, got any) {
	t.Helper()
	require.Equal(t, asJSON(t, want), asJSON(t, got))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
