package agentgraph

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// Explanation says why a step of an attempt, or a turn of a meeting in it, ran, or
// why it was skipped.
type Explanation struct {
	Step   string     `json:"step"` // path; of a turn, that of the meeting's step, the agent with "/" as %2F, and which of its turns
	Index  []int      `json:"index"`
	Status StepStatus `json:"status"`
	Reason Reason     `json:"reason"`

	// Attempt is, for a step that was skipped, the one in which it was executed, and
	// for one that ran again the one that it is compared with, from 1.
	Attempt   int      `json:"attempt,omitempty"`
	Artifacts []string `json:"artifacts,omitempty"` // whose values differ from then, sorted
	Also      []string `json:"also,omitempty"`      // what else does, sorted: the agent's state, a question, a meeting's inputs or roster, a turn's post or state
}

// Reason is why a step ran or was skipped.
type Reason string

// The reasons.
const (
	ReasonNew        Reason = "new"        // nothing is recorded of it before; a process that is killed in a short step leaves no record of that
	ReasonUnfinished Reason = "unfinished" // it had begun, but never ended well
	ReasonChanged    Reason = "changed"    // its input was not that of any time before
	ReasonUnrecorded Reason = "unrecorded" // of a meeting: its input was the same, but an agent takes a turn that is not recorded
	ReasonSame       Reason = "same"       // it was skipped: it had been executed with this input
)

// String is a sentence about the step.
func (e Explanation) String() string {
	switch e.Reason {
	case ReasonSame:
		return fmt.Sprintf("%s was skipped: executed in attempt %d with the same input", e.Step, e.Attempt)
	case ReasonUnfinished:
		return fmt.Sprintf("%s ran: it had not ended well in attempt %d", e.Step, e.Attempt)
	case ReasonUnrecorded:
		return fmt.Sprintf("%s ran: its input is that of attempt %d, but a turn is not recorded as its agent takes it now", e.Step, e.Attempt)
	case ReasonChanged:
		return fmt.Sprintf("%s ran: since attempt %d its input changed: %s", e.Step, e.Attempt, e.changes())
	}
	return fmt.Sprintf("%s ran: no earlier run of it is recorded", e.Step)
}

func (e Explanation) changes() string {
	var parts []string
	if len(e.Artifacts) > 0 {
		parts = append(parts, "artifacts "+list(e.Artifacts))
	}
	return strings.Join(append(parts, e.Also...), ", ")
}

// ExplainSteps says of each step of the last attempt at a run why it ran or was
// skipped, in the order of the tree, each step before those in it. A step that ran
// again is compared with the last time that it was executed. A nested node's own turn
// is left out, and so are the turns in one that was skipped. It is empty for a run
// that is not known. It reads the journal.
func ExplainSteps(ctx context.Context, store Store, runID string) ([]Explanation, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if store == nil {
		return nil, noStore()
	}
	h, _, err := historyRead(ctx, store, runID)
	if err != nil || len(h.Attempts) == 0 {
		return nil, err
	}
	var all []Explanation
	for _, r := range h.Explain(len(h.Attempts) - 1) {
		all = append(all, explained(r))
	}
	return all, nil
}

func explained(r journal.Reason) Explanation {
	e := Explanation{
		Step: r.Path, Index: r.Node.Index, Status: StepStatus(r.Node.Status),
		Attempt: r.Attempt + 1, Artifacts: r.Artifacts, Also: r.Also, Reason: ReasonChanged,
	}
	switch {
	case e.Status == StatusCached:
		e.Reason = ReasonSame
	case r.Attempt < 0:
		e.Reason = ReasonNew
	case r.Open:
		e.Reason = ReasonUnfinished
	case r.Same():
		e.Reason = ReasonUnrecorded
	}
	return e
}
