package main

import (
	"context"
	"errors"
	"io"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// meet holds the meeting, in memory or under a run ID, and returns its log.
func meet(ctx context.Context, o options, roster *agentgraph.Roster[review.Body], errs io.Writer) ([]review.Post, error) {
	if o.runID == "" {
		return roster.Run(ctx, review.Ask(o.request))
	}
	return meetDurably(ctx, o, roster, errs)
}

// meetDurably keeps the meeting in files, and says how many of its turns were skipped
// since they were taken before.
func meetDurably(ctx context.Context, o options, roster *agentgraph.Roster[review.Body], errs io.Writer) (log []review.Post, err error) {
	store, err := filestore.Open(o.dir, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	work := agentgraph.NewResumable("codereview", func(s *agentgraph.Step) (err error) {
		log, err = review.Hold(s, roster)
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := work.Run(ctx, o.runID, map[string]any{"request": o.request})
	if len(result.Steps) > 0 {
		say(errs, review.Tally(result.Steps))
	}
	return log, err
}
