//go:build !drawings

package main

import (
	"errors"
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
)

func drawGraph(io.Writer, *agentgraph.Roster[Body]) error { return errors.New("no drawings yet") }
func drawSequence(io.Writer, []post) error                { return errors.New("no drawings yet") }
