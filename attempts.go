package agentgraph

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// Attempt is what the journal tells of one Run of an ID.
type Attempt struct {
	Began     time.Time   `json:"began"`
	Last      time.Time   `json:"last"`                // its last record
	Status    RunStatus   `json:"status"`              // RunRunning, too, if it was killed or lost its run to the next one
	Error     string      `json:"error,omitempty"`     // that it ended with
	Artifacts Artifacts   `json:"artifacts,omitempty"` // that it ended with; nil as long as it has not
	Steps     []*StepNode `json:"steps,omitempty"`     // as StepsRun shows them
}

// Attempts returns what the journal tells of each Run of an ID, the oldest first.
// It is empty for an ID that is not known. It reads the journal.
func Attempts(ctx context.Context, store Store, runID string) ([]Attempt, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if store == nil {
		return nil, noStore()
	}
	h, _, err := historyRead(ctx, store, runID)
	if err != nil {
		return nil, err
	}
	all := make([]Attempt, len(h.Attempts))
	for i, a := range h.Attempts {
		all[i] = Attempt{Began: a.Began, Last: a.Last, Status: RunRunning, Steps: stepNodes(h.Tree(i))}
		if a.End != nil {
			all[i].ended(h, a.End)
		}
	}
	return all, nil
}

func (a *Attempt) ended(h *journal.History, end *journal.Entry) {
	a.Status, a.Error = runStatus(end.Status), end.Error
	a.Artifacts = copied(h.Step(end.ID).In)
}
