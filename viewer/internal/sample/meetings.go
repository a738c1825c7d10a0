package sample

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

type (
	post = agentgraph.Post[string]
	node = agentgraph.Node[string]
)

// each is an agent that answers with a function of the body, or not at all.
func each(f func(body string) []post) node {
	return agentgraph.Atomic(agentgraph.Each(func(in post) []post { return f(in.Body) }))
}

func says(format string) node {
	return each(func(body string) []post { return []post{{Body: fmt.Sprintf(format, cut(body))}} })
}

func cut(body string) string {
	words := strings.Fields(body)
	return strings.Join(words[:min(4, len(words))], " ")
}

// Panel holds a meeting with a team in a node of its own.
func Panel(ctx context.Context, store agentgraph.Store, id string) error {
	graph := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("topics"), agentgraph.Vertex("chair"), agentgraph.Vertex("experts")),
		agentgraph.Connect(agentgraph.Channels("findings"), agentgraph.Vertex("experts"), agentgraph.Vertices("editor", "critic")),
		agentgraph.Connect(agentgraph.Channels("remarks"), agentgraph.Vertex("critic"), agentgraph.Vertex("editor")),
	)
	inner := agentgraph.Connect(agentgraph.Channels("drafts"), agentgraph.Vertices("biologist", "chemist"), agentgraph.Vertex("lead"))
	team := agentgraph.Registry[string]{
		"biologist": says("In a cell, %s holds."), "chemist": says("In a flask, %s does not."),
		"lead": each(func(body string) []post { return []post{{To: []string{agentgraph.Outside}, Body: "We found: " + body}} }),
	}
	registry := agentgraph.Registry[string]{
		"chair":   each(func(body string) []post { return []post{{Body: "First: " + body}, {Body: "Then: the costs of it"}} }),
		"experts": agentgraph.Nested(inner, team, agentgraph.Hears("biologist", "chemist"), agentgraph.Speaks("lead")),
		"critic":  says("I doubt that %s."), "editor": each(func(string) []post { return nil }),
	}
	return meet(ctx, store, id, graph, registry, agentgraph.NewPost("reader", []string{agentgraph.Everyone}, "does yeast sleep at night"))
}

// Desk holds "desk", or goes on with it: a meeting in which a person has to speak.
func Desk(ctx context.Context, store agentgraph.Store) error {
	graph := agentgraph.Overlay(
		agentgraph.Star("clerk", []string{"anna", "archive"}, "questions", "answers"),
		agentgraph.Connect(agentgraph.Channels("out"), agentgraph.Vertex("clerk"), agentgraph.Vertex("printer")),
	)
	registry := agentgraph.Registry[string]{
		"anna": agentgraph.External[string](), "archive": says("On file: %s"), "printer": each(func(string) []post { return nil }),
		"clerk": each(func(body string) []post {
			if strings.HasPrefix(body, "On file") {
				return []post{{To: []string{"out"}, Body: "Printed: " + body}}
			}
			return []post{{To: []string{"questions"}, Body: "Who knows about " + cut(body) + "?"}}
		}),
	}
	return meet(ctx, store, "desk", graph, registry, agentgraph.NewPost("visitor", []string{"answers"}, "the old bridge"))
}

func meet(ctx context.Context, store agentgraph.Store, id string, g agentgraph.Graph, reg agentgraph.Registry[string], inputs ...post) error {
	roster, err := agentgraph.ToRoster(g, reg)
	if err != nil {
		return err
	}
	return run(ctx, store, id, "meeting", nil, func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "talk", roster, inputs)
		return err
	})
}
