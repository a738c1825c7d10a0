// Quickstart lets a writer and a critic talk until the critic is content.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

func main() {
	type post = agentgraph.Post[string]
	graph := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("wish"), agentgraph.Vertex("you"), agentgraph.Vertex("writer")),
		agentgraph.Connect(agentgraph.Channels("draft"), agentgraph.Vertex("writer"), agentgraph.Vertex("critic")),
		agentgraph.Connect(agentgraph.Channels("remark"), agentgraph.Vertex("critic"), agentgraph.Vertex("writer")),
	)
	registry := agentgraph.Registry[string]{
		"you": agentgraph.External[string](),
		"writer": agentgraph.Atomic(agentgraph.Tape(func(heard []post) []post {
			words := strings.Fields(heard[0].Body) // the wish; after it come remarks, one a draft
			return []post{{Body: strings.Join(words[:len(words)-len(heard)+1], " ")}}
		})),
		"critic": agentgraph.Atomic(agentgraph.Each(func(draft post) []post {
			if len(strings.Fields(draft.Body)) > 3 {
				return []post{{Body: "shorter, please"}}
			}
			return nil // silence ends the meeting
		})),
	}
	wish := agentgraph.NewPost("you", []string{"wish"}, "agents talk over small graphs")
	posts, err := agentgraph.RunGraph(context.Background(), graph, registry, []post{wish})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range posts {
		fmt.Println(p.ID, p.To, p.Body)
	}
}
