package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
)

// printAttempts prints the tree of each attempt, the oldest first.
func printAttempts(out io.Writer, attempts [][]*agentgraph.StepNode) {
	for i, steps := range attempts {
		fmt.Fprintf(out, "attempt %d\n", i+1)
		printSteps(out, "    ", steps)
	}
}

func printSteps(out io.Writer, indent string, steps []*agentgraph.StepNode) {
	for _, s := range steps {
		line := fmt.Sprintf("%s%s: %s", indent, s.StepName, s.Status)
		if s.Error != "" {
			line += ": " + s.Error
		}
		fmt.Fprintln(out, line)
		printSteps(out, indent+"    ", s.Children)
	}
}

func printSummary(out io.Writer, summary json.RawMessage) error {
	var lines []string
	if err := json.Unmarshal(summary, &lines); err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	return nil
}
