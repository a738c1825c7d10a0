package agentgraph_test

import (
	"fmt"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// listTrees makes JSON values of lists of nodes.
func listTrees(lists [][]*agentgraph.StepNode, timed bool) []any {
	trees := []any{}
	for _, nodes := range lists {
		trees = append(trees, nodeTrees(nodes, timed))
	}
	return trees
}

func nodeTrees(nodes []*agentgraph.StepNode, timed bool) []any {
	trees := []any{}
	for _, n := range nodes {
		index := []any{}
		for _, i := range n.Index {
			index = append(index, number(i))
		}
		tree := map[string]any{
			"step_name":             n.StepName,
			"index":                 index,
			"status":                string(n.Status),
			"extra_input_artifacts": decodeArtifacts(n.ExtraInputArtifacts),
			"agent":                 n.Agent,
			"error":                 n.Error,
			"children":              nodeTrees(n.Children, timed),
		}
		if timed {
			tree["created_at"] = n.CreatedAt.UTC().Format(time.RFC3339Nano) // one text for equal times
		}
		trees = append(trees, tree)
	}
	return trees
}

// outOfTime tells of a node that was created before its parent, the sibling before
// it, or the start of the run.
func outOfTime(nodes []*agentgraph.StepNode, least time.Time) string {
	for _, n := range nodes {
		if n.CreatedAt.Before(least) {
			return fmt.Sprintf("created_at of step %q %v: want %v or later, got %v", n.StepName, n.Index, least, n.CreatedAt)
		}
		least = n.CreatedAt
		if late := outOfTime(n.Children, least); late != "" {
			return late
		}
	}
	return ""
}

func overwriteNodes(nodes []*agentgraph.StepNode) {
	for _, n := range nodes {
		overwriteNodes(n.Children)
		overwriteAll(n.ExtraInputArtifacts)
		clear(n.Index)
		clear(n.Children)
		*n = agentgraph.StepNode{StepName: "overwritten"}
	}
}
