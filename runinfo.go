package agentgraph

import (
	"context"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// RunInfo is what the journal tells of a run as a whole.
type RunInfo struct {
	RunID    string    `json:"run_id"`
	Name     string    `json:"name"` // of the Resumable that ran last
	Status   RunStatus `json:"status"`
	Attempts int       `json:"attempts"`
	Began    time.Time `json:"began"`           // the first attempt
	Last     time.Time `json:"last"`            // the last record
	Done     int       `json:"done"`            // steps and turns executed, in all attempts
	Error    string    `json:"error,omitempty"` // that the last attempt ended with
}

// RunStatus is how the last attempt at a run stands.
type RunStatus string

// How a run can stand.
const (
	RunNone        RunStatus = ""            // the ID is not known
	RunRunning     RunStatus = "running"     // it has not ended: somebody works on it, or was killed
	RunWaiting     RunStatus = "waiting"     // for an answer: see Questions
	RunAnswered    RunStatus = "answered"    // it waited, and something was answered since: run it again
	RunFinished    RunStatus = "finished"    // its body returned nil
	RunFailed      RunStatus = "failed"      // its body returned an error
	RunInterrupted RunStatus = "interrupted" // its context ended
)

// Inspect tells how a run stands. A process that is killed writes no more, so that
// its run is RunRunning for ever: see StatusAt. It reads the journal.
func Inspect(ctx context.Context, store Store, runID string) (RunInfo, error) {
	info := RunInfo{RunID: runID}
	if ctx == nil {
		ctx = context.Background()
	}
	if store == nil {
		return info, noStore()
	}
	h, _, err := historyRead(ctx, store, runID)
	if err != nil || len(h.Attempts) == 0 {
		return info, err
	}
	last := h.Attempts[len(h.Attempts)-1]
	info.Name, info.Attempts = last.Entry.Name, len(h.Attempts)
	info.Began, info.Last = h.Attempts[0].Began, last.Last
	info.Done = h.Executed()
	info.Status = RunRunning
	if last.End != nil {
		info.Status, info.Error = runStatus(last.End.Status), last.End.Error
		if info.Status == RunWaiting && h.AnsweredAfter(last.End.Seq) {
			info.Status = RunAnswered
		}
	}
	return info, nil
}

// StatusAt is the status to show at a time: a run that goes on writes at least once a
// minute, also while a step lasts, and one of which nothing was heard for two is taken
// for killed, and RunInterrupted. It compares a clock with that of the machine that
// wrote the journal. It is for people: whether a run may be run again is not asked of
// clocks but of the store, and Run may be called at any time.
func (i RunInfo) StatusAt(now time.Time) RunStatus {
	if i.Status == RunRunning && now.Sub(i.Last) > 2*silence {
		return RunInterrupted
	}
	return i.Status
}

func runStatus(ended string) RunStatus {
	switch ended {
	case journal.Done:
		return RunFinished
	case journal.Waits:
		return RunWaiting
	case journal.Stopped:
		return RunInterrupted
	}
	return RunFailed
}
