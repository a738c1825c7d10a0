package agentgraph_test

import (
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph"
)

func printEdges(g agentgraph.Graph) {
	for _, e := range g.Edges() {
		fmt.Println(e.From, "->", e.To, e.Channels)
	}
}

func ExampleConnect() {
	writer, reviewer := agentgraph.Vertex("writer"), agentgraph.Vertex("reviewer")
	g := agentgraph.Connect(agentgraph.Channels("drafts"), writer, reviewer)
	printEdges(g)
	// Output:
	// writer -> reviewer ["drafts"]
}

func ExampleOverlay() {
	writer, reviewer := agentgraph.Vertex("writer"), agentgraph.Vertex("reviewer")
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("drafts"), writer, reviewer),
		agentgraph.Connect(agentgraph.Channels("reviews"), reviewer, writer),
	)
	printEdges(g)
	// Output:
	// reviewer -> writer ["reviews"]
	// writer -> reviewer ["drafts"]
}

func ExampleBus() {
	printEdges(agentgraph.Bus([]agentgraph.Name{"ann", "bob"}, "room"))
	// Output:
	// ann -> ann ["room"]
	// ann -> bob ["room"]
	// bob -> ann ["room"]
	// bob -> bob ["room"]
}

func ExampleStar() {
	printEdges(agentgraph.Star("lead", []agentgraph.Name{"ann", "bob"}, "orders", "results"))
	// Output:
	// ann -> lead ["results"]
	// bob -> lead ["results"]
	// lead -> ann ["orders"]
	// lead -> bob ["orders"]
}

func ExampleChain() {
	printEdges(agentgraph.Chain([]agentgraph.Name{"plan", "write", "check"}, "work"))
	// Output:
	// plan -> check ["work"]
	// plan -> write ["work"]
	// write -> check ["work"]
}

func ExamplePipeline() {
	printEdges(agentgraph.Pipeline([]agentgraph.Name{"plan", "write", "check"}, "work"))
	// Output:
	// plan -> write ["work.1"]
	// write -> check ["work.2"]
}

func ExampleFold() {
	g := agentgraph.Star("lead", []agentgraph.Name{"ann", "bob"}, "orders", "results")
	channels := agentgraph.Fold(g, agentgraph.ChannelSet{},
		func(agentgraph.Name) agentgraph.ChannelSet { return agentgraph.ChannelSet{} },
		func(c, left, right agentgraph.ChannelSet) agentgraph.ChannelSet {
			return c.Union(left).Union(right)
		})
	fmt.Println(channels)
	// Output:
	// ["orders" "results"]
}

func ExampleGraph_Edges() {
	team := agentgraph.Vertices("ann", "bob")
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("news"), agentgraph.Vertex("press"), team),
		agentgraph.Connect(agentgraph.Channels("urgent"), agentgraph.Vertex("press"), agentgraph.Vertex("bob")),
	)
	for _, e := range g.Edges() {
		fmt.Println(e.From, "->", e.To, e.Channels)
	}
	// Output:
	// press -> ann ["news"]
	// press -> bob ["news" "urgent"]
}

func ExampleGraph_String() {
	g := agentgraph.Connect(agentgraph.Channels("news"), agentgraph.Vertex("press"), agentgraph.Vertices("ann", "bob"))
	fmt.Println(g)
	// Output:
	// "press" -["news"]-> ("ann" + "bob")
}
