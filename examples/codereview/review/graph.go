package review

import (
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// graph is who talks to whom: a pipeline with a team in the middle.
func graph() agentgraph.Graph {
	return agentgraph.Overlay(
		edge("request", "author", "reader"),
		edge("parts", "reader", "team"),
		edge("reviews", "team", "merger"),
		edge("places", "merger", "editor"),
	)
}

func edge(channel, from, to string) agentgraph.Graph {
	return agentgraph.Connect(agentgraph.Channels(channel), agentgraph.Vertex(from), agentgraph.Vertex(to))
}

// registry is who stands behind each name.
func registry(team []reviewer, slow time.Duration) agentgraph.Registry[Body] {
	return agentgraph.Registry[Body]{
		"author": agentgraph.External[Body](),
		"reader": agentgraph.Atomic(newReader()),
		"team":   newTeam(team, slow),
		"merger": agentgraph.Atomic(newMerger()),
		"editor": agentgraph.Atomic(newEditor(kinds(team))),
	}
}

// newTeam is a star: the lead hands out the work, the reviewers answer to the
// lead, and nobody outside sees more of the team than its lead.
func newTeam(team []reviewer, slow time.Duration) agentgraph.Node[Body] {
	members := agentgraph.Registry[Body]{"lead": agentgraph.Atomic(newLead(len(team)))}
	for _, r := range team {
		members[r.kind] = agentgraph.Atomic(newReviewer(r, slow))
	}
	star := agentgraph.Star("lead", kinds(team), "work", "findings")
	return agentgraph.Nested(star, members, agentgraph.Hears("lead"), agentgraph.Speaks("lead"))
}
