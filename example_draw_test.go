package agentgraph_test

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
)

// A graph is drawn by its edges.
func ExampleDOT() {
	g := agentgraph.Star("lead", []agentgraph.Name{"ann", "bob"}, "orders", "reports")
	if err := agentgraph.DOT(os.Stdout, g); err != nil {
		fmt.Println(err)
	}
	// Output:
	// digraph {
	// 	n0 [label="ann", shape=box];
	// 	n1 [label="bob", shape=box];
	// 	n2 [label="lead", shape=box];
	// 	n0 -> n2 [label="reports"];
	// 	n1 -> n2 [label="reports"];
	// 	n2 -> n0 [label="orders"];
	// 	n2 -> n1 [label="orders"];
	// }
}

// A roster is drawn by who hears whom, with a channel as a node where many meet.
func ExampleMermaid() {
	team := agentgraph.Nested(
		agentgraph.Bus([]agentgraph.Name{"ann", "bob"}, "talk"),
		agentgraph.Registry[string]{"ann": parrot(), "bob": parrot()},
		agentgraph.Hears("ann"), agentgraph.Speaks("bob"),
	)
	g := agentgraph.Pipeline([]agentgraph.Name{"user", "team", "printer"}, "hop")
	roster, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"user": agentgraph.External[string](), "team": team, "printer": parrot(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := agentgraph.Mermaid(os.Stdout, roster); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart LR
	// 	n0["printer"]
	// 	subgraph n1 ["team"]
	// 		n2["ann"]
	// 		n3["bob"]
	// 		n4{{"team/talk"}}
	// 	end
	// 	n5(["user"])
	// 	n2 --> n4
	// 	n3 -->|"hop.2"| n0
	// 	n3 --> n4
	// 	n4 --> n2
	// 	n4 --> n3
	// 	n5 -->|"hop.1"| n2
}

// A log is drawn by what answers what.
func ExampleSequence() {
	g := agentgraph.Pipeline([]agentgraph.Name{"user", "doubt", "shout"}, "hop")
	add := func(s string) agentgraph.Node[string] {
		return agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
			return []agentgraph.Post[string]{{Body: in.Body + s}}
		}))
	}
	log, err := agentgraph.RunGraph(context.Background(), g, agentgraph.Registry[string]{
		"user": agentgraph.External[string](), "doubt": add("?"), "shout": add("!"),
	}, []agentgraph.Post[string]{agentgraph.NewPost("user", []agentgraph.Channel{"hop.1"}, "hello")})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := agentgraph.Sequence(os.Stdout, log); err != nil {
		fmt.Println(err)
	}
	// Output:
	// sequenceDiagram
	// 	participant p0 as user
	// 	participant p1 as doubt
	// 	participant p2 as shout
	// 	Note over p0: user#35;0 to hop.1#58; hello
	// 	p0->>p1: hop.1
	// 	Note over p1: doubt#35;0 to hop.2#58; hello?
	// 	p1->>p2: hop.2
	// 	Note over p2: shout#35;0#58; hello?!
}
