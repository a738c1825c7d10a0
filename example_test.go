package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

// say is an agent that adds a word to whatever it hears.
func say(word string) agentgraph.Node[string] {
	return agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		return []agentgraph.Post[string]{{Body: in.Body + " " + word}}
	}))
}

func printLog(log []agentgraph.Post[string]) {
	for _, p := range log {
		fmt.Println(p.ID, p.To, p.Thread, p.Body)
	}
}

func ExampleRunGraph() {
	graph := agentgraph.Pipeline([]agentgraph.Name{"you", "draft", "edit"}, "hop")
	registry := agentgraph.Registry[string]{
		"you":   agentgraph.External[string](),
		"draft": say("drafted"),
		"edit":  say("edited"),
	}
	log, err := agentgraph.RunGraph(context.Background(), graph, registry, []agentgraph.Post[string]{
		agentgraph.NewPost("you", []agentgraph.Channel{"hop.1"}, "hello"),
	})
	if err != nil {
		panic(err)
	}
	printLog(log)
	// Output:
	// you#0 [hop.1] [] hello
	// draft#0 [hop.2] [you#0] hello drafted
	// edit#0 [] [draft#0] hello drafted edited
}

func ExampleToRoster_errors() {
	graph := agentgraph.Overlay(
		agentgraph.Vertex("writer"),
		agentgraph.Connect(agentgraph.Channels("*"), agentgraph.Vertex("a"), agentgraph.Vertex("team")),
	)
	_, err := agentgraph.ToRoster(graph, agentgraph.Registry[string]{
		"a":    say("a"),
		"team": agentgraph.Nested(agentgraph.Vertex("x"), agentgraph.Registry[string]{}),
	})
	fmt.Println(errors.Is(err, agentgraph.ErrMissingAgent), errors.Is(err, agentgraph.ErrBadChannel))
	var faults *agentgraph.GraphError
	if errors.As(err, &faults) {
		for _, fault := range faults.Faults {
			fmt.Println(fault)
		}
	}
	// Output:
	// true true
	// agentgraph: the top graph: bad channel on an edge: "*"
	// agentgraph: "team/x": no agent in the registry
	// agentgraph: "writer": no agent in the registry
}

func ExampleRoster_Hearers() {
	graph := agentgraph.Star("hub", []agentgraph.Name{"x", "y"}, "down", "up")
	roster, err := agentgraph.ToRoster(graph, agentgraph.Registry[string]{"hub": say("h"), "x": say("x"), "y": say("y")})
	if err != nil {
		panic(err)
	}
	fmt.Println(roster.Hearers("down"))
	fmt.Println(roster.Hearers("up"))
	fmt.Println(roster.Hearers("sideways"))
	// Output:
	// [x y]
	// [hub]
	// []
}

func ExampleChannelMap() {
	wiring := agentgraph.ChannelMap(agentgraph.Star("hub", []agentgraph.Name{"x", "y"}, "down", "up"))
	fmt.Println(wiring["hub"].In, wiring["hub"].Out)
	fmt.Println(wiring["x"].In, wiring["x"].Out)
	// Output:
	// ["up"] ["down"]
	// ["down"] ["up"]
}

func ExampleNested() {
	team := agentgraph.Star("lead", []agentgraph.Name{"x", "y"}, "work", "results")
	lead := agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		if in.From == "you" {
			return []agentgraph.Post[string]{{To: []agentgraph.Channel{"work"}, Body: in.Body}}
		}
		return []agentgraph.Post[string]{{To: []agentgraph.Channel{agentgraph.Outside}, Body: "they say " + in.Body}}
	})
	graph := agentgraph.Pipeline([]agentgraph.Name{"you", "team", "printer"}, "hop")
	registry := agentgraph.Registry[string]{
		"you":     agentgraph.External[string](),
		"printer": say("(printed)"),
		"team": agentgraph.Nested(team, agentgraph.Registry[string]{
			"lead": agentgraph.Atomic(lead), "x": say("x"), "y": say("y"),
		}, agentgraph.Hears("lead"), agentgraph.Speaks("lead")),
	}
	log, err := agentgraph.RunGraph(context.Background(), graph, registry, []agentgraph.Post[string]{
		agentgraph.NewPost("you", []agentgraph.Channel{"hop.1"}, "go"),
	})
	if err != nil {
		panic(err)
	}
	printLog(log)
	// Output:
	// you#0 [hop.1] [] go
	// team/lead#0 [team/work] [you#0] go
	// team/x#0 [team/results] [team/lead#0] go x
	// team/y#0 [team/results] [team/lead#0] go y
	// team/lead#1 [hop.2] [team/x#0] they say go x
	// team/lead#2 [hop.2] [team/y#0] they say go y
	// printer#0 [] [team/lead#1] they say go x (printed)
	// printer#1 [] [team/lead#2] they say go y (printed)
}

func ExampleExternal() {
	graph := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("question"), agentgraph.Vertex("clerk"), agentgraph.Vertex("boss")),
		agentgraph.Connect(agentgraph.Channels("answer"), agentgraph.Vertex("boss"), agentgraph.Vertex("clerk")),
	)
	clerk := agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		if in.From == "boss" {
			return nil
		}
		return []agentgraph.Post[string]{{Body: "may I " + in.Body + "?"}}
	})
	roster, err := agentgraph.ToRoster(graph, agentgraph.Registry[string]{
		"clerk": agentgraph.Atomic(clerk),
		"boss":  agentgraph.External[string](),
	})
	if err != nil {
		panic(err)
	}
	meeting := roster.Open()
	_ = meeting.Post(agentgraph.NewPost("client", []agentgraph.Channel{"answer"}, "pay"))
	_ = meeting.Run(context.Background())
	for _, waiting := range meeting.Pending() {
		fmt.Println(waiting.At, "is asked:", waiting.Posts[0].Body)
	}
	_ = meeting.Answer("boss", agentgraph.NewPost("boss", nil, "yes"))
	_ = meeting.Run(context.Background())
	printLog(meeting.Log())
	// Output:
	// boss is asked: may I pay?
	// client#0 [answer] [] pay
	// clerk#0 [question] [client#0] may I pay?
	// boss#0 [answer] [clerk#0] yes
}

func ExampleMachine() {
	counter := agentgraph.Machine(0, func(seen int, in agentgraph.Post[string]) (int, []agentgraph.Post[string]) {
		seen++
		return seen, []agentgraph.Post[string]{{Body: fmt.Sprintf("%d: %s", seen, in.Body)}}
	})
	log, err := agentgraph.RunGraph(context.Background(), agentgraph.Vertex("counter"),
		agentgraph.Registry[string]{"counter": agentgraph.Atomic(counter)},
		[]agentgraph.Post[string]{
			agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "a"),
			agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "b"),
		})
	if err != nil {
		panic(err)
	}
	printLog(log[2:])
	// Output:
	// counter#0 [] [you#0] 1: a
	// counter#1 [] [you#1] 2: b
}

func ExampleTape() {
	digest := agentgraph.Tape(func(history []agentgraph.Post[string]) []agentgraph.Post[string] {
		if len(history) < 2 {
			return nil
		}
		return []agentgraph.Post[string]{agentgraph.Reply(history[0].Body+"+"+history[1].Body, history[:2]...)}
	})
	log, err := agentgraph.RunGraph(context.Background(), agentgraph.Vertex("digest"),
		agentgraph.Registry[string]{"digest": agentgraph.Atomic(digest)},
		[]agentgraph.Post[string]{
			agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "salt"),
			agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "pepper"),
		})
	if err != nil {
		panic(err)
	}
	printLog(log[2:])
	// Output:
	// digest#0 [] [you#0 you#1] salt+pepper
}

func ExampleMeeting_Turns() {
	roster, err := agentgraph.ToRoster(agentgraph.Bus([]agentgraph.Name{"a", "b"}, "talk"), agentgraph.Registry[string]{
		"a": say("a"), "b": say("b"),
	})
	if err != nil {
		panic(err)
	}
	meeting := roster.With(agentgraph.Options{MaxTurns: 3}).Open()
	_ = meeting.Post(agentgraph.NewPost("you", []agentgraph.Channel{"talk"}, "hi"))
	for turn, err := range meeting.Turns(context.Background()) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(turn.N, turn.Agent, "hears", turn.Input.ID, "and says", turn.Outputs[0].Body)
	}
	// Output:
	// 0 a hears you#0 and says hi a
	// 1 b hears you#0 and says hi b
	// 2 a hears a#0 and says hi a a
	// agentgraph: turn limit reached: 3 turns (Options.MaxTurns), "a", "b" still waiting, in the loop "a", "b"
}

func ExampleRoster_Use() {
	log := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent agentgraph.Name, in agentgraph.Post[string]) ([]agentgraph.Post[string], error) {
			outs, err := next(ctx, agent, in)
			fmt.Printf("%s took %s and made %d\n", agent, in.ID, len(outs))
			return outs, err
		}
	}
	roster, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": say("a")})
	if err != nil {
		panic(err)
	}
	_, _ = roster.Use(log).Run(context.Background(), []agentgraph.Post[string]{
		agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "hi"),
	})
	// Output: a took you#0 and made 1
}

func ExampleRoster_With() {
	shout := agentgraph.Atomic(agentgraph.EachContext(func(ctx context.Context, in agentgraph.Post[string]) ([]agentgraph.Post[string], error) {
		turn, _ := agentgraph.TurnFrom(ctx) // an agent that calls a model would pass ctx on
		return []agentgraph.Post[string]{{Body: strings.ToUpper(in.Body) + " from " + turn.Agent}}, nil
	}))
	roster, err := agentgraph.ToRoster(agentgraph.Vertices("a", "b", "c"), agentgraph.Registry[string]{"a": shout, "b": shout, "c": shout})
	if err != nil {
		panic(err)
	}
	// The three run at once; the log is that of one at a time.
	log, err := roster.With(agentgraph.Options{Parallel: 3}).Run(context.Background(), []agentgraph.Post[string]{
		agentgraph.NewPost("you", []agentgraph.Channel{agentgraph.Everyone}, "hi"),
	})
	if err != nil {
		panic(err)
	}
	printLog(log)
	// Output:
	// you#0 [*] [] hi
	// a#0 [] [you#0] HI from a
	// b#0 [] [you#0] HI from b
	// c#0 [] [you#0] HI from c
}

func ExampleToAgent() {
	pair := agentgraph.Pipeline([]agentgraph.Name{"in", "x", "y"}, "hop")
	relay, err := agentgraph.ToAgent(pair, agentgraph.Registry[string]{
		"in": say("in"), "x": say("x"), "y": say("y"),
	}, agentgraph.Hears("in"), agentgraph.Speaks("y"))
	if err != nil {
		panic(err)
	}
	log, err := agentgraph.RunGraph(context.Background(),
		agentgraph.Connect(agentgraph.Channels("ask"), agentgraph.Vertex("you"), agentgraph.Vertex("relay")),
		agentgraph.Registry[string]{"you": agentgraph.External[string](), "relay": agentgraph.Atomic(relay)},
		[]agentgraph.Post[string]{agentgraph.NewPost("you", []agentgraph.Channel{"ask"}, "hi")})
	if err != nil {
		panic(err)
	}
	printLog(log)
	// Output:
	// you#0 [ask] [] hi
	// relay#0 [] [you#0] hi in x y
}

func ExampleFlatten() {
	team := agentgraph.Nested(agentgraph.Pipeline([]agentgraph.Name{"x", "y"}, "hop"),
		agentgraph.Registry[string]{"x": say("x"), "y": say("y")},
		agentgraph.Hears("x"), agentgraph.Speaks("y"))
	graph := agentgraph.Pipeline([]agentgraph.Name{"a", "team", "z"}, "stage")
	flat, registry, err := agentgraph.Flatten(graph, agentgraph.Registry[string]{"a": say("a"), "team": team, "z": say("z")})
	if err != nil {
		panic(err)
	}
	for _, edge := range flat.Edges() {
		fmt.Println(edge.From, edge.Channels, edge.To)
	}
	fmt.Println(len(registry), "agents")
	// Output:
	// a ["stage.1"] team/x
	// team/x ["team/hop.1"] team/y
	// team/y ["stage.2"] z
	// 4 agents
}

func ExampleCone() {
	log, err := agentgraph.RunGraph(context.Background(),
		agentgraph.Pipeline([]agentgraph.Name{"you", "a", "b"}, "hop"),
		agentgraph.Registry[string]{"you": agentgraph.External[string](), "a": say("a"), "b": say("b")},
		[]agentgraph.Post[string]{
			agentgraph.NewPost("you", []agentgraph.Channel{"hop.1"}, "one"),
			agentgraph.NewPost("you", []agentgraph.Channel{"hop.1"}, "two"),
		})
	if err != nil {
		panic(err)
	}
	fmt.Println(agentgraph.Cone(log, agentgraph.PostID{From: "b", N: 1}))
	// Output: [you#1 a#1 b#1]
}
