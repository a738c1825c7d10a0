// Package review is a code review as a meeting: a reader splits Go source files by
// directory, a team of reviewers looks at each part behind a lead who hears and
// speaks for it, a merger joins what they found at one place, an editor reports.
//
// The command codereview holds it on one machine, and examples/fleet on many. It is
// an example, and may change with any version.
package review

import (
	"runtime"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Post is what is said in the meeting.
type Post = agentgraph.Post[Body]

// NewRoster is the meeting: who takes part, and how. Each reviewer takes so long
// for a file, so that there is time to interrupt it.
func NewRoster(slow time.Duration) (*agentgraph.Roster[Body], error) {
	return newRoster(reviewers(newStandard()), slow)
}

// newRoster lets all cores review at once: the log is the same as one at a time.
// The turns need no limit, for the team's only loop ends with its last answer.
func newRoster(team []reviewer, slow time.Duration) (*agentgraph.Roster[Body], error) {
	roster, err := agentgraph.ToRoster(graph(), registry(team, slow))
	if err != nil {
		return nil, err
	}
	return roster.With(agentgraph.Options{MaxTurns: -1, Parallel: runtime.GOMAXPROCS(0)}), nil
}

// Ask is what the author says to begin the meeting.
func Ask(r Request) []Post {
	return []Post{agentgraph.NewPost("author", []string{"request"}, Body{Request: &r})}
}

// Outcome is the editor's report: the last post of a meeting that is over.
func Outcome(log []Post) *Report {
	return log[len(log)-1].Body.Report
}
