package natsfleet

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Wait returns what a run came to, once it is settled. One that waits for an answer
// is not settled: give it a context that ends. Beside the *[RunError] of a run that
// did not finish stands what it had come to. It is [agentgraph.ErrNoRun] for a run
// that was never submitted. Any other error says nothing of the run, which may be
// waited for again. It reads the journal once.
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
