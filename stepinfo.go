package agentgraph

import (
	"context"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// StepInfo is what a body can know of the step that it does.
type StepInfo struct {
	RunID          string // empty without one
	Step           string // path; empty in the run's own body
	IdempotencyKey string // the same whenever this step is done again; empty without a run ID
}

// StepFrom tells a body which step its context belongs to, and gives it a key for what
// it does to the world outside. The key is the same whenever the step is done again
// in this run, at this place and on an equal input, in whichever process: after a crash
// before the step was recorded, say. Where the run, the path or the input differs, so
// does the key. One body that does several things adds to it what tells them apart.
//
// In the run's own body, outside of any step, the path is empty and the input that of
// the run: the body is done again in each attempt, with one key. The own body of a
// [Resumable] that is invoked in a step is at the place of that step, and its input is
// what it was given, as for the steps in it.
//
// It is false where no step is, and in a turn of [RunMeeting], which has a key of its
// own: see [TurnFrom]. In a meeting of another kind, such as [RunGraph] with the
// context of a step, it tells of that step, with which all turns are done again.
//
// It costs O(artifacts); a step that does not ask pays nothing.
func StepFrom(ctx context.Context) (StepInfo, bool) {
	s := stepOf(ctx)
	if s == nil {
		return StepInfo{}, false
	}
	info := StepInfo{RunID: s.run.id, Step: s.frame.path}
	if s.run.id != "" {
		info.IdempotencyKey = journal.Doing{Step: info.Step, Input: s.input, Also: s.also}.Print(info.RunID)
	}
	return info, true
}
