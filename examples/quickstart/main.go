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
	graph := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("wish"), agentgraph.Vertex("you"), agentgraph.Vertex("writer")),
		agentgraph.Connect(agentgraph.Channels("draft"), agentgraph.Vertex("writer"), agentgraph.Vertex("critic")),
		agentgraph.Connect(agentgraph.Channels("remark"), agentgraph.Vertex("critic"), agentgraph.Vertex("writer")),
	)
	registry := agentgraph.Registry[string]{
		"you": agentgraph.External[string](),
		"writer": agentgraph.Atomic(agentgraph.Tape(func(heard []agentgraph.Post[string]) []agentgraph.Post[string] {
			words := strings.Fields(heard[0].Body) // the wish, then one remark a draft
			return []agentgraph.Post[string]{{Body: strings.Join(words[:len(words)-len(heard)+1], " ")}}
		})),
		"critic": agentgraph.Atomic(agentgraph.Each(func(draft agentgraph.Post[string]) []agentgraph.Post[string] {
			if len(strings.Fields(draft.Body)) <= 3 {
				return nil // content: nobody has anything left to hear
			}
			return []agentgraph.Post[string]{{Body: "shorter, please"}}
		})),
	}
	wish := agentgraph.NewPost("you", []agentgraph.Channel{"wish"}, "agents talk over small graphs")
	posts, err := agentgraph.RunGraph(context.Background(), graph, registry, []agentgraph.Post[string]{wish})
	if err != nil {
		log.Fatal(err)
	}
	for _, post := range posts {
		fmt.Println(post.ID, post.To, post.Body)
	}
}
