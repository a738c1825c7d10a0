package main

import (
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

func drawGraph(w io.Writer, roster *agentgraph.Roster[review.Body]) error {
	return agentgraph.Mermaid(w, roster)
}

func drawSequence(w io.Writer, log []review.Post) error {
	return agentgraph.Sequence(w, log)
}
