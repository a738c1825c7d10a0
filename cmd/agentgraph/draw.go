package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/kind"
)

// draw writes an attempt for people.
func (a *app) draw(s *shownAttempt) {
	a.print("%s (%s): %s, attempt %d of %d: %s\n", visible(s.RunID), visible(s.Name), a.coloured(string(s.Status)), s.Attempt, s.Attempts, a.coloured(s.Outcome))
	a.print("began %s", moment(s.Start))
	if s.End != nil {
		a.print(", took %s", duration(max(s.End.Sub(s.Start), 0)))
	}
	a.print("\n")
	if s.Cause != "" {
		a.print("error: %s\n", visible(s.Cause))
	}
	a.drawSteps(s.Steps, "")
	for _, q := range s.Waiting {
		a.drawQuestion(q)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Artifacts)) {
		a.print("%s = %s\n", visible(name), short(s.Artifacts[name]))
	}
}

// drawSteps writes steps as a tree.
func (a *app) drawSteps(steps []*shownStep, indent string) {
	for i, s := range steps {
		branch, below := "├─ ", "│  "
		if i == len(steps)-1 {
			branch, below = "└─ ", "   "
		}
		a.print("%s%s%s  %s", indent, branch, numbered(s), a.coloured(string(s.Status)))
		if s.took > 0 {
			a.print("  %s", duration(s.took))
		}
		if s.Agent != "" && s.Agent != s.StepName {
			a.print("  agent %s", visible(s.Agent))
		}
		if s.Error != "" {
			a.print("  %s", visible(s.Error))
		}
		a.print("\n")
		for _, c := range s.Changed {
			if c.After == nil {
				a.print("%s%s  %s is gone\n", indent, below, visible(c.Name))
			} else {
				a.print("%s%s  %s = %s\n", indent, below, visible(c.Name), short(c.After))
			}
		}
		a.drawSteps(s.Children, indent+below)
	}
}

// numbered is the name of a step, or of an agent with the number of its turn, as in
// explain: the first has none.
func numbered(s *shownStep) string {
	if s.Turn == 0 {
		return visible(s.StepName)
	}
	return fmt.Sprintf("%s#%d", visible(s.StepName), s.Turn)
}

func (a *app) drawQuestion(q agentgraph.Question) {
	a.print("waits at %s", visible(q.Step))
	if q.Seat != "" {
		a.print(", seat %s", visible(q.Seat))
	}
	a.print(": %s\n", short(q.Question))
	if wanted := kind.Named(q.Wants); wanted != "" {
		a.print("  wants %s\n", wanted)
	}
	if q.Refused != "" {
		a.print("  %s\n", visible(q.Refused))
	}
}
