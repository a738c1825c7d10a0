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
	Error     string                `json:"error,omitempty"`   // that it failed with, or passed last
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

// Wait returns what a run came to, once it is settled. One that waits for an answer
// is not settled: give it a context that ends. Beside the *[RunError] of a run that
// did not finish stands what it had come to. It is [agentgraph.ErrNoRun] for a run
// that was never submitted. It reads the journal once.
func (f *Fleet) Wait(ctx context.Context, runID string) (*agentgraph.Result, error) {
	result := &agentgraph.Result{RunID: runID, Artifacts: agentgraph.Artifacts{}}
	if err := agentgraph.CheckRunID(runID); err != nil {
		return result, err
	}
	t, err := f.settlement(ctx, runID)
	if err != nil {
		return result, err
	}
	attempts, err := agentgraph.Attempts(ctx, f.store, runID)
	if a := lastWord(attempts); a != nil {
		result.Steps = a.Steps
		if a.Artifacts != nil {
			result.Artifacts = a.Artifacts
		}
	}
	if err != nil {
		return result, err
	}
	return result, t.err()
}

// lastWord is the attempt that says what a run came to. After one that finished
// there can be others, by workers who did not know.
func lastWord(attempts []agentgraph.Attempt) *agentgraph.Attempt {
	for i := range attempts {
		if attempts[i].Status == agentgraph.RunFinished {
			return &attempts[i]
		}
	}
	if len(attempts) == 0 {
		return nil
	}
	return &attempts[len(attempts)-1]
}

// settlement waits until a run is settled. Whoever settles it tells those who wait;
// that word can get lost, so they look now and then, too.
func (f *Fleet) settlement(ctx context.Context, runID string) (*ticket, error) {
	word, stop, err := f.listen(f.settledSubject(runID))
	if err != nil {
		return nil, runError(runID, err)
	}
	defer stop()
	for {
		t, err := f.ticket(ctx, runID)
		if err != nil || t.settled() {
			return t, err
		}
		wait(ctx, word, lookAgain)
		if ctx.Err() != nil {
			return nil, runError(runID, ctx.Err())
		}
	}
}

// lookAgain is how long a word that got lost can delay those who wait for it.
const lookAgain = 2 * time.Second

func wait(ctx context.Context, word <-chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-word:
	case <-timer.C:
	}
}
