package review

import (
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Hold makes the meeting a step of a run, every turn of it a step as well, and
// returns its log. Turns that were taken before under the run's ID are skipped. What
// the reader has read is among them: a review is of the sources as they were.
//
// It takes the artifact "request", and leaves "report".
func Hold(s *agentgraph.Step, roster *agentgraph.Roster[Body]) ([]Post, error) {
	request, err := agentgraph.Get[Request](s, "request")
	if err != nil {
		return nil, err
	}
	log, err := agentgraph.RunMeeting(s, "review", roster, Ask(request))
	if err != nil {
		return nil, err
	}
	s.Set("report", Outcome(log))
	return log, nil
}

// Tally says what became of the turns. A meeting that was over is skipped as a whole
// and shows none.
func Tally(steps []*agentgraph.StepNode) string {
	if len(steps) == 1 && steps[0].Status == agentgraph.StatusCached {
		return "all turns skipped, 0 taken"
	}
	skipped := turns(steps, agentgraph.StatusCached)
	return fmt.Sprintf("%s skipped, %d taken", count(skipped, "turn"), turns(steps, agentgraph.StatusExecuted))
}

// turns counts the turns with a status: those in the team are below its node.
func turns(steps []*agentgraph.StepNode, status agentgraph.StepStatus) int {
	n := 0
	for _, step := range steps {
		n += turns(step.Children, status)
		if len(step.Children) == 0 && step.Status == status {
			n++
		}
	}
	return n
}
