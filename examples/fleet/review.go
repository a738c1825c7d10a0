package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// review is the flow: the paragraphs of a letter are reviewed at once, each in a
// meeting, and somebody says whether it goes out in spite of the remarks.
func review(pace time.Duration) *agentgraph.Resumable {
	return agentgraph.NewResumable("review", func(s *agentgraph.Step) error {
		text, err := agentgraph.Get[string](s, "letter")
		if err != nil {
			return err
		}
		paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
		for i, p := range paragraphs {
			name := fmt.Sprintf("paragraph-%d", i+1)
			s.Go(name, func(s *agentgraph.Step) error { return reviewParagraph(s, name, p, pace) })
		}
		if err := s.Wait(); err != nil {
			return err
		}
		return decide(s, len(paragraphs))
	}, nil)
}

// decide asks, if there is a remark.
func decide(s *agentgraph.Step, paragraphs int) error {
	var remarks []string
	for i := range paragraphs {
		some, err := agentgraph.Get[[]string](s, fmt.Sprintf("paragraph-%d", i+1))
		if err != nil {
			return err
		}
		remarks = append(remarks, some...)
	}
	s.Set("remarks", remarks)
	if len(remarks) == 0 {
		s.Set("publish", true)
		return nil
	}
	_, err := agentgraph.Ask[bool](s, "publish", remarks)
	return err
}

// reviewParagraph leaves the remarks on a paragraph under its name.
func reviewParagraph(s *agentgraph.Step, name, text string, pace time.Duration) error {
	r, err := table(pace)
	if err != nil {
		return err
	}
	log, err := agentgraph.RunMeeting(s, "meeting", r, []agentgraph.Post[string]{
		agentgraph.NewPost("author", []agentgraph.Channel{"paragraph"}, text),
	})
	if err != nil {
		return err
	}
	remarks := []string{}
	for _, p := range log[1:] {
		remarks = append(remarks, fmt.Sprintf("%s: %s: %s", name, p.From, p.Body))
	}
	s.Set(name, remarks)
	return nil
}

// table is where three reviewers hear a paragraph, and an editor their remarks.
func table(pace time.Duration) (*agentgraph.Roster[string], error) {
	names := []agentgraph.Name{"length", "todos", "tone"}
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("paragraph"), agentgraph.Vertex("author"), agentgraph.Vertices(names...)),
		agentgraph.Connect(agentgraph.Channels("remark"), agentgraph.Vertices(names...), agentgraph.Vertex("editor")),
	)
	return agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"author": agentgraph.External[string](),
		"editor": agentgraph.Atomic(agentgraph.Each(func(agentgraph.Post[string]) []agentgraph.Post[string] { return nil })),
		"length": reviewer(pace, "too long", func(text string) bool { return len(strings.Fields(text)) > 60 }),
		"todos":  reviewer(pace, "not done", func(text string) bool { return strings.Contains(text, "TODO") }),
		"tone":   reviewer(pace, "too loud", func(text string) bool { return strings.Contains(text, "!") }),
	})
}

// reviewer reads for a while, and has one remark, or none.
func reviewer(pace time.Duration, remark string, finds func(text string) bool) agentgraph.Node[string] {
	return agentgraph.Atomic(agentgraph.EachContext(func(ctx context.Context, in agentgraph.Post[string]) ([]agentgraph.Post[string], error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pace):
		}
		if !finds(in.Body) {
			return nil, nil
		}
		return []agentgraph.Post[string]{{Body: remark}}, nil
	}))
}
