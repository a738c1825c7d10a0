package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// meet holds the meeting, in memory or under a run ID, and returns its log.
func meet(ctx context.Context, o options, roster *agentgraph.Roster[Body], errs io.Writer) ([]post, error) {
	if o.runID == "" {
		return roster.Run(ctx, ask(o.request))
	}
	return meetDurably(ctx, o, roster, errs)
}

// meetDurably makes the meeting a step of a run, every turn of it a step as well.
// Turns that were taken before under the run's ID are skipped, and it says how many.
// What the reader has read is among them: a review is of the sources as they were.
func meetDurably(ctx context.Context, o options, roster *agentgraph.Roster[Body], errs io.Writer) (log []post, err error) {
	store, err := filestore.Open(o.dir, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	work := agentgraph.NewResumable("codereview", func(s *agentgraph.Step) (err error) {
		log, err = agentgraph.RunMeeting(s, "review", roster, ask(o.request))
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := work.Run(ctx, o.runID, nil)
	if len(result.Steps) > 0 {
		say(errs, tally(result.Steps))
	}
	return log, err
}

// tally says what became of the turns. A meeting that was over is skipped as a whole
// and shows none.
func tally(steps []*agentgraph.StepNode) string {
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
