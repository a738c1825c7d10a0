package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

func (a *app) show() *cobra.Command {
	var attempt int
	var artifacts, asJSON bool
	c := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the steps of a run",
		Long: `Show the steps of the last attempt at a run as a tree, or those of another one,
and what the run waits for. With --artifacts, each step shows what it changed, and
the end what the attempt left; long values are cut, but not in JSON.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeRun(nil),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			shown, err := attemptOf(c, store, args[0], attempt, artifacts)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(shown)
			}
			a.draw(shown)
			return nil
		}),
	}
	c.Flags().IntVar(&attempt, "attempt", 0, "show this `attempt`, from 1; 0 is the last one")
	c.Flags().BoolVar(&artifacts, "artifacts", false, "show artifacts")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// shownAttempt is an attempt as it is shown.
type shownAttempt struct {
	agentgraph.RunInfo
	Attempt   int                   `json:"attempt"` // from 1
	Outcome   string                `json:"outcome"` // of the attempt: done, failed, waiting, stopped; without an end, running or interrupted
	Cause     string                `json:"cause,omitempty"`
	Start     time.Time             `json:"start"`
	End       *time.Time            `json:"end,omitempty"`
	Steps     []*shownStep          `json:"steps"`
	Waiting   []agentgraph.Question `json:"waiting,omitempty"` // of the last attempt
	Artifacts agentgraph.Artifacts  `json:"artifacts,omitempty"`
}

// shownStep is a step, or a turn, as it is shown.
type shownStep struct {
	agentgraph.StepNode
	Path     string       `json:"path,omitempty"`     // of a step
	Turn     int          `json:"turn,omitempty"`     // of a turn: which of its agent's, from 0; that one is left out
	Seconds  float64      `json:"seconds,omitempty"`  // that it took, of a step that ran
	Changed  []change     `json:"changed,omitempty"`  // in order of name
	Children []*shownStep `json:"children,omitempty"` // in place of those in StepNode

	took time.Duration
}

func attemptOf(c *cobra.Command, store agentgraph.Store, runID string, wanted int, artifacts bool) (*shownAttempt, error) {
	h, err := history(c.Context(), store, runID)
	if err != nil {
		return nil, err
	}
	n, err := number(c, h, wanted)
	if err != nil {
		return nil, err
	}
	info, err := agentgraph.Inspect(c.Context(), store, runID)
	if err != nil {
		return nil, err
	}
	info.Status = info.StatusAt(time.Now())
	at := h.Attempts[n]
	shown := &shownAttempt{RunInfo: info, Attempt: n + 1, Outcome: withoutEnd(info, n), Start: at.Began, Steps: stepsOf(h.Tree(n), artifacts)}
	left := h.Step(at.Entry.ID).In
	if at.End != nil {
		shown.Outcome, shown.Cause, shown.End = at.End.Status, at.End.Error, &at.Last
		left = h.Step(at.End.ID).In
	}
	if artifacts {
		shown.Artifacts = valuesOf(left)
	}
	if n == len(h.Attempts)-1 {
		shown.Waiting, err = agentgraph.Questions(c.Context(), store, runID)
	}
	return shown, err
}

// withoutEnd is how an attempt stands that has no end: one that is not the last was
// killed.
func withoutEnd(info agentgraph.RunInfo, n int) string {
	if n < info.Attempts-1 {
		return string(agentgraph.RunInterrupted)
	}
	return string(info.Status)
}

// change is what a step did to an artifact.
type change struct {
	Name  string          `json:"name"`
	After json.RawMessage `json:"after,omitempty"` // none: it is gone
}

func stepsOf(nodes []*journal.Node, artifacts bool) []*shownStep {
	steps := make([]*shownStep, len(nodes))
	for i, n := range nodes {
		s := &shownStep{Children: stepsOf(n.Children, artifacts)}
		s.StepName, s.Index, s.Status, s.CreatedAt = n.Name, n.Index, agentgraph.StepStatus(n.Status), n.At
		s.Agent, s.Error, s.ExtraInputArtifacts = n.Agent, n.Error, extras(n)
		if n.Step != nil {
			s.Path = n.Step.Path
			if n.Status != journal.Cached && !n.Step.Ended.IsZero() {
				s.took = max(n.Step.Ended.Sub(n.At), 0)
				s.Seconds = s.took.Seconds()
			}
			if artifacts {
				s.Changed = changes(n.Step)
			}
		}
		if n.Turn != nil {
			s.Turn = n.Turn.N
		}
		steps[i] = s
	}
	return steps
}

func extras(n *journal.Node) agentgraph.Artifacts {
	if len(n.Extra) == 0 {
		return nil
	}
	all := agentgraph.Artifacts{}
	for _, name := range n.Extra {
		if v := n.In.Get(name); v != nil {
			all[name] = v.Raw
		}
	}
	return all
}

func changes(s *journal.Step) []change {
	var all []change
	for _, c := range snapshot.Changed(s.In, s.Out) {
		one := change{Name: c.Name}
		if c.After != nil {
			one.After = c.After.Raw
		}
		all = append(all, one)
	}
	return all
}

func valuesOf(m snapshot.Map) agentgraph.Artifacts {
	all := agentgraph.Artifacts{}
	for name, v := range m.All() {
		all[name] = v.Raw
	}
	return all
}
