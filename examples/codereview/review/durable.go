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

// Tally says what became of the turns: of a review that is over, those that were
// skipped and those that were taken are all of them. A meeting that was over before is
// skipped as a whole and shows none.
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
	for i, step := range steps {
		n += turns(step.Children, status)
		switch {
		case len(step.Children) > 0 || step.Status != status:
		case step.StepName == "team" && i < len(steps)-1: // that it is over shows in what follows
			n += turnsAtPart()
		default:
			n++
		}
	}
	return n
}

// turnsAtPart is how many turns the team takes for a directory: the lead hands it out,
// and each reviewer answers and is heard. The tree shows them, unless all were skipped.
func turnsAtPart() int { return 1 + 2*len(reviewers(nil)) }
