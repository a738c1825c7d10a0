package natsfleet

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestStory: only deaths in a row count, with nothing done between.
func TestStory(t *testing.T) {
	step := func(name string, s agentgraph.StepStatus, children ...*agentgraph.StepNode) *agentgraph.StepNode {
		return &agentgraph.StepNode{StepName: name, Status: s, Children: children}
	}
	ended := func(s agentgraph.RunStatus) agentgraph.Attempt { return agentgraph.Attempt{Status: s} }
	died := func(steps ...*agentgraph.StepNode) agentgraph.Attempt {
		return agentgraph.Attempt{Status: agentgraph.RunRunning, Steps: steps}
	}
	idle := died(step("a", agentgraph.StatusCached), step("b", agentgraph.StatusStarted, step("c", agentgraph.StatusStarted)))
	busy := died(step("a", agentgraph.StatusStarted, step("c", agentgraph.StatusExecuted)))
	for _, c := range []struct {
		name     string
		attempts []agentgraph.Attempt
		survived int
		want     []Death
	}{
		{"none", nil, 0, nil},
		{"ended", []agentgraph.Attempt{idle, ended(agentgraph.RunWaiting)}, 0, nil},
		{"in a row", []agentgraph.Attempt{ended(agentgraph.RunFailed), idle, idle}, 0, []Death{
			{Attempt: 2, Steps: []string{"b", "b/c"}},
			{Attempt: 3, Steps: []string{"b", "b/c"}},
		}},
		{"after something was done", []agentgraph.Attempt{idle, busy, busy, idle}, 0, []Death{
			{Attempt: 3, Steps: []string{"a"}, Done: "a/c"},
			{Attempt: 4, Steps: []string{"b", "b/c"}},
		}},
		{"after one that the store has ended", []agentgraph.Attempt{idle, idle, idle}, 2, []Death{
			{Attempt: 3, Steps: []string{"b", "b/c"}},
		}},
		{"only such", []agentgraph.Attempt{idle, busy}, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, story(c.attempts, c.survived)) })
	}
}
