package agentgraph_test

import (
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph"
)

func parrot() agentgraph.Node[string] {
	return agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		return []agentgraph.Post[string]{{Body: in.Body}}
	}))
}

// Two pairs that talk over one channel hear each other, and a reviewer that
// answers its author may never stop.
func ExampleLint() {
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("draft"), agentgraph.Vertex("author"), agentgraph.Vertex("reviewer")),
		agentgraph.Connect(agentgraph.Channels("notes"), agentgraph.Vertex("reviewer"), agentgraph.Vertex("author")),
		agentgraph.Connect(agentgraph.Channels("notes"), agentgraph.Vertex("clerk"), agentgraph.Vertex("archive")),
	)
	reg := agentgraph.Registry[string]{
		"author": parrot(), "reviewer": parrot(), "clerk": parrot(), "archive": parrot(), "printer": parrot(),
	}
	fmt.Print(agentgraph.Lint(g, reg))
	// Output:
	// unreachable: nobody can reach "clerk"
	// unused: no vertex for the registry's "printer"
	// loop: "author", "reviewer" hear each other over "draft", "notes" and can go on for ever
	// shadow: over "notes" "archive" hears "reviewer"; "author" hears "clerk": 2 pairs without an edge
}

// A report is data: a test can ask for what it cares about.
func ExampleLint_data() {
	g := agentgraph.Chain([]agentgraph.Name{"a", "b", "c"}, "talk")
	for _, f := range agentgraph.Lint[string](g, nil).Findings {
		if f.Kind == agentgraph.LintShadow {
			fmt.Println(f.Count, "over", f.Channels, "as", f.Shadows[0].To, "hears", f.Shadows[0].From)
		}
	}
	// Output:
	// 1 over ["talk"] as b hears b
}
