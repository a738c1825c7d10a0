package natsfleet

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// State is where a run stands.
type State string

// Where a run can stand. The last four are settled: nobody works on it any more.
const (
	Queued    State = "queued"   // somebody is to work on it, or to go on
	Working   State = "working"  // somebody does, or has died at it not long ago
	Waiting   State = "waiting"  // for an answer, see Status.Questions
	Retrying  State = "retrying" // an error passed; it is tried again in a while
	Finished  State = "finished"
	Failed    State = "failed"
	Cancelled State = "cancelled"
	SetAside  State = "set aside" // it kills its workers, see Status.Story
)

// Status is what is known of a run.
type Status struct {
	RunID     string                `json:"run_id"`
	Flow      string                `json:"flow"`
	State     State                 `json:"state"`
	Submitted time.Time             `json:"submitted"`
	Error     string                `json:"error,omitempty"`   // that it failed with, or that passed last, its store's too
	Retries   int                   `json:"retries,omitempty"` // after errors that pass
	Questions []agentgraph.Question `json:"questions,omitempty"`
	Story     []Death               `json:"story,omitempty"`
	Run       agentgraph.RunInfo    `json:"run"` // what its journal tells
}

// Status tells where a run stands. It is [agentgraph.ErrNoRun] for one that was
// never submitted. It reads the ticket and the journal of the run, one after the
// other, so it may be a moment behind.
func (f *Fleet) Status(ctx context.Context, runID string) (Status, error) {
	t, err := f.ticket(ctx, runID)
	if err != nil {
		return Status{RunID: runID}, err
	}
	s := Status{
		RunID: runID, Flow: t.Flow, State: t.State, Submitted: t.Submitted,
		Error: t.Error, Retries: t.Retries, Story: t.Story,
	}
	if s.Run, err = agentgraph.Inspect(ctx, f.store, runID); err != nil || t.settled() {
		return s, err
	}
	if s.State = stateOf(s.Run.Status); s.State != Waiting {
		return s, nil
	}
	if s.Questions, err = agentgraph.Questions(ctx, f.store, runID); err == nil && len(s.Questions) == 0 {
		s.State = Queued
	}
	return s, err
}

// stateOf is where a run that is not settled stands.
func stateOf(s agentgraph.RunStatus) State {
	switch s {
	case agentgraph.RunRunning, agentgraph.RunFinished: // the ticket will say so in a moment
		return Working
	case agentgraph.RunWaiting:
		return Waiting
	case agentgraph.RunFailed:
		return Retrying
	}
	return Queued
}
