package main

import (
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
)

func drawGraph(w io.Writer, roster *agentgraph.Roster[Body]) error {
	return agentgraph.Mermaid(w, roster)
}

func drawSequence(w io.Writer, log []post) error {
	return agentgraph.Sequence(w, log)
}
