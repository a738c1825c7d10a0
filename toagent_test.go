package agentgraph_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestToAgentState: the state of a boxed graph is a value. Stepped twice from
// one state it gives the same twice, also at once, also long after, also when the
// state has been through JSON.
func TestToAgentState(t *testing.T) {
	everyScript(t, scripts(500), func(seed uint64) string {
		w := newWriter(seed)
		box := w.box()
		a, err := agentgraph.ToAgent(box.Graph.graph(), box.Registry.registry(&world{}, ""), box.ports()...)
		if err != nil {
			return err.Error()
		}
		if err := stepAll(agentgraph.StepperOf(a), box, boxInputs(w, box)); err != nil {
			return fmt.Sprintf("%v\n%s", err, script{Registry: registryExpr{"box": {Box: box}}})
		}
		return ""
	})
}

// boxInputs makes up what a box is given. Some authors have a member's name.
func boxInputs(w *writer, box *nestedExpr) []post {
	members := box.Graph.shape().vertices.sorted()
	var inputs []post
	for i := range 8 {
		from := w.pick(append(members, "user", "user", "ops"))
		to := w.some(append([]string{agentgraph.Everyone, "elsewhere"}, channelPool...))
		in := agentgraph.NewPost(from, to, w.pick([]string{"hi", "h", "yo", ""}))
		in.ID = agentgraph.PostID{From: from, N: i}
		in.Thread = []agentgraph.PostID{{From: "above", N: i}}
		inputs = append(inputs, in)
	}
	return inputs
}

func stepAll(s agentgraph.Stepper[string], box *nestedExpr, inputs []post) error {
	ref, err := openBox(&world{}, box)
	if err != nil {
		return err
	}
	states := []any{s.Start()}
	var answers [][]post
	for i, in := range inputs {
		next, outs, err := s.Step(states[i], in)
		if err != nil {
			return err
		}
		want, err := ref.askBox(box, in)
		if err != nil {
			return err
		}
		if d := samePosts("outputs", want, unstamped(outs)); d != "" {
			return fmt.Errorf("input %d: reference and box: %s", i, d)
		}
		states, answers = append(states, next), append(answers, outs)
	}
	for i, in := range inputs { // from every state, all steps later
		if err := stepAgain(s, states[i], states[i+1], in, answers[i]); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
	}
	return nil
}

// unstamped leaves the bodies, the only part of a box's outputs that is promised.
func unstamped(outs []post) []post {
	var bodies []post
	for _, p := range outs {
		bodies = append(bodies, post{Body: p.Body})
	}
	return bodies
}

// stepAgain takes one step again: twice at once from the state itself, and from
// the state as it comes back from JSON.
func stepAgain(s agentgraph.Stepper[string], state, next any, in post, answer []post) error {
	want, err := s.Save(next)
	if err != nil {
		return err
	}
	data, err := s.Save(state)
	if err != nil {
		return err
	}
	loaded, err := s.Load(data)
	if err != nil {
		return err
	}
	froms := []any{state, state, loaded}
	errs := make([]error, len(froms))
	var wg sync.WaitGroup
	for i, from := range froms {
		wg.Go(func() {
			got, outs, err := s.Step(from, in)
			if err != nil {
				errs[i] = err
				return
			}
			saved, err := s.Save(got)
			switch d := samePosts("outputs", answer, outs); {
			case err != nil:
				errs[i] = err
			case d != "":
				errs[i] = fmt.Errorf("step %d again: %s", i, d)
			case string(saved) != string(want):
				errs[i] = fmt.Errorf("step %d again: state %s and %s", i, want, saved)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// echo says what it hears, marked.
func echo(mark string) agentgraph.Node[string] {
	return agentgraph.Atomic(agentgraph.Each(func(in post) []post {
		return []post{{Body: in.From + " " + in.Body + mark}}
	}))
}

// boxed is a graph of x, which hears in, and y, which hears x, in a box.
func boxed(t *testing.T, ports ...agentgraph.Port) agentgraph.Agent[string] {
	t.Helper()
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("door"), agentgraph.Vertex("x")),
		agentgraph.Connect(agentgraph.Channels("k"), agentgraph.Vertex("x"), agentgraph.Vertex("y")))
	a, err := agentgraph.ToAgent(g, agentgraph.Registry[string]{"door": echo("d"), "x": echo("x"), "y": echo("y")}, ports...)
	require.NoError(t, err)
	return a
}

func step(t *testing.T, a agentgraph.Agent[string], in post) []string {
	t.Helper()
	s := agentgraph.StepperOf(a)
	_, outs, err := s.Step(s.Start(), in)
	require.NoError(t, err)
	bodies := []string{}
	for _, p := range outs {
		require.Empty(t, p.To, "the outer roster addresses it")
		require.Empty(t, p.Thread, "the outer roster stamps it")
		bodies = append(bodies, p.Body)
	}
	return bodies
}

func TestToAgentHearsWhatIsAddressed(t *testing.T) {
	require.Equal(t, []string{"user 1x", "x user 1xy"}, step(t, boxed(t), agentgraph.NewPost("user", []string{"in"}, "1")))
	require.Equal(t, []string{"user 1y"}, step(t, boxed(t), agentgraph.NewPost("user", []string{"k", "zz"}, "1")))
	require.Empty(t, step(t, boxed(t), agentgraph.NewPost("user", []string{"task"}, "1")))
}

func TestToAgentHearsPort(t *testing.T) {
	a := boxed(t, agentgraph.Hears("y"))
	require.Equal(t, []string{"user 1y"}, step(t, a, agentgraph.NewPost("user", []string{"task"}, "1")))
	require.Equal(t, []string{"user 1x", "user 1y", "x user 1xy"}, step(t, a, agentgraph.NewPost("user", []string{"in"}, "1")))
}

func TestToAgentSpeaksPort(t *testing.T) {
	a := boxed(t, agentgraph.Speaks("y"))
	require.Equal(t, []string{"x user 1xy"}, step(t, a, agentgraph.NewPost("user", []string{"in"}, "1")))
}

func TestToAgentRenamesAMembersNamesake(t *testing.T) {
	require.Equal(t, []string{"../x 1y"}, step(t, boxed(t), agentgraph.NewPost("x", []string{"k"}, "1")))
}

func TestToAgentStampsOutside(t *testing.T) {
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("src"), agentgraph.Vertex("box")),
		agentgraph.Connect(agentgraph.Channels("out"), agentgraph.Vertex("box"), agentgraph.Vertex("z")))
	reg := agentgraph.Registry[string]{
		"src": echo("s"),
		"box": agentgraph.Atomic(boxed(t)),
		"z":   agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil })),
	}
	log, err := agentgraph.RunGraph(context.Background(), g, reg, []post{agentgraph.NewPost("user", []string{"in"}, "1")})
	require.NoError(t, err)
	require.Equal(t, []wantPost{
		{"user#0", "user", []string{"in"}, []string{}, "1"},
		{"box#0", "box", []string{"out"}, []string{"user#0"}, "user 1x"},
		{"box#1", "box", []string{"out"}, []string{"user#0"}, "x user 1xy"},
	}, logOf(log))
}

func TestToAgentRefuses(t *testing.T) {
	bus := agentgraph.Bus([]string{"a", "b"}, "c")
	seat := agentgraph.Registry[string]{"a": echo(""), "b": agentgraph.External[string]()}

	_, err := agentgraph.ToAgent(bus, seat)
	require.ErrorIs(t, err, agentgraph.ErrExternal)
	require.ErrorContains(t, err, `"b"`)

	_, err = agentgraph.ToAgent(agentgraph.Vertex("t"), agentgraph.Registry[string]{"t": agentgraph.Nested(bus, seat)})
	require.ErrorIs(t, err, agentgraph.ErrExternal)
	require.ErrorContains(t, err, `"t/b"`)

	_, err = agentgraph.ToAgent(bus, agentgraph.Registry[string]{"a": echo("")})
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)

	_, err = agentgraph.ToAgent(bus, agentgraph.Registry[string]{"a": echo(""), "b": echo("")}, agentgraph.Hears("c"))
	require.ErrorIs(t, err, agentgraph.ErrBadPort)
}

// TestToAgentErrorInside: an error in a box is the box's own, and names who had it.
func TestToAgentErrorInside(t *testing.T) {
	fail := program{Op: "fail", At: 1, Message: "boom"}
	a, err := agentgraph.ToAgent(agentgraph.Vertex("x"), agentgraph.Registry[string]{"x": agentgraph.Atomic(fail.agent(&world{}, "x"))}, agentgraph.Hears("x"))
	require.NoError(t, err)
	g := agentgraph.Bus([]string{"box"}, "c")
	log, err := agentgraph.RunGraph(context.Background(), g, agentgraph.Registry[string]{"box": agentgraph.Atomic(a)}, []post{agentgraph.NewPost("user", []string{"c"}, "1")})
	require.Len(t, log, 1)
	var outer, inner *agentgraph.AgentError
	require.ErrorAs(t, err, &outer)
	require.Equal(t, "box", outer.Agent)
	require.ErrorAs(t, outer.Err, &inner)
	require.Equal(t, "x", inner.Agent)
	require.EqualError(t, inner.Err, "boom")
}

// TestToAgentTurnLimit: the text says that it is the box's own limit, which no
// Options reach.
func TestToAgentTurnLimit(t *testing.T) {
	a, err := agentgraph.ToAgent(agentgraph.Bus([]string{"x"}, "c"), agentgraph.Registry[string]{"x": echo("")}, agentgraph.Hears("x"))
	require.NoError(t, err)
	r, err := agentgraph.ToRoster(agentgraph.Vertex("box"), agentgraph.Registry[string]{"box": agentgraph.Atomic(a)})
	require.NoError(t, err)
	_, err = r.With(agentgraph.Options{MaxTurns: 3}).Run(context.Background(), []post{toEveryone()})
	require.ErrorIs(t, err, agentgraph.ErrTurnLimit)
	require.EqualError(t, err, `agentgraph: agent "box" on post "user#0": turn limit reached: `+
		`10000 turns on one input of an agent made by ToAgent, "x" still waiting, in the loop "x"`)
}

// TestMiddlewareAroundABox: it sees the box's turns and not those inside.
func TestMiddlewareAroundABox(t *testing.T) {
	a, err := agentgraph.ToAgent(agentgraph.Chain([]string{"x", "y"}, "c"), agentgraph.Registry[string]{"x": echo("1"), "y": echo("2")}, agentgraph.Hears("x"))
	require.NoError(t, err)
	r, err := agentgraph.ToRoster(agentgraph.Vertex("box"), agentgraph.Registry[string]{"box": agentgraph.Atomic(a)})
	require.NoError(t, err)
	var seen []string
	log, err := r.With(agentgraph.Options{MaxTurns: 1}).Use(func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			seen = append(seen, agent)
			return next(ctx, agent, in)
		}
	}).Run(context.Background(), []post{toEveryone()})
	require.NoError(t, err)
	require.Equal(t, []string{"box"}, seen)
	require.Len(t, log, 4, "the input, and what came of three turns inside")
}
