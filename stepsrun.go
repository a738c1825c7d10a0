package agentgraph

import (
	"context"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// StepsRun returns what the journal tells of a run: the steps of each attempt, the
// oldest first. It is empty for an ID that is not known. Short steps appear when they
// end, those that last while they run; of an attempt that was killed, the last steps
// may be missing, if they were not durable yet. It reads the journal.
func (r *Resumable) StepsRun(ctx context.Context, runID string) ([][]*StepNode, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if r.options.Store == nil {
		return nil, noStore()
	}
	h, _, err := historyRead(ctx, r.options.Store, runID)
	if err != nil {
		return nil, err
	}
	runs := make([][]*StepNode, len(h.Attempts))
	for i := range h.Attempts {
		runs[i] = stepNodes(h.Tree(i))
	}
	return runs, nil
}

func stepNodes(nodes []*journal.Node) []*StepNode {
	if len(nodes) == 0 {
		return nil
	}
	steps := make([]*StepNode, len(nodes))
	for i, n := range nodes {
		steps[i] = &StepNode{
			StepName:            n.Name,
			Index:               n.Index,
			Status:              StepStatus(n.Status),
			CreatedAt:           n.At,
			ExtraInputArtifacts: valuesOf(n.In, n.Extra),
			Agent:               n.Agent,
			Error:               n.Error,
			Children:            stepNodes(n.Children),
		}
	}
	return steps
}

func valuesOf(m snapshot.Map, names []string) Artifacts {
	if len(names) == 0 {
		return nil
	}
	a := Artifacts{}
	for _, name := range names {
		if v := m.Get(name); v != nil {
			a[name] = slices.Clone(v.Raw)
		}
	}
	return a
}
