package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// answerSeat posts at a seat. What cannot be an answer to the posts that wait there is
// refused here, for the run would find it out at the price of an attempt.
func answerSeat(c *cobra.Command, store agentgraph.Store, runID, step string, given reply) error {
	value, err := given.raw(c, false)
	if err != nil {
		return err
	}
	asked, err := askedAt(c.Context(), store, runID, step, given.seat)
	if err != nil {
		return err
	}
	var waiting []post
	if asked != nil {
		if err := json.Unmarshal(asked, &waiting); err != nil {
			return err
		}
	}
	if given.isText() && journal.Textless(asked) {
		return misuse(c, "no text can answer what waits at seat %q: use --json, and give a value of the kind that waits there: %s", given.seat, short(waiting[0].Body))
	}
	thread, err := threadOf(c, given, waiting)
	if err != nil {
		return err
	}
	return agentgraph.AnswerSeat(c.Context(), store, runID, step, given.seat, post{To: given.to, Thread: thread, Body: value})
}

// askedAt is the posts that wait at a seat, nil for none.
func askedAt(ctx context.Context, store agentgraph.Store, runID, step, seat string) (json.RawMessage, error) {
	questions, err := agentgraph.Questions(ctx, store, runID)
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		if q.Step == step && q.Seat == seat {
			return q.Question, nil
		}
	}
	return nil, nil
}

// threadOf is the posts that are to be answered. Each is one that waits.
func threadOf(c *cobra.Command, given reply, waiting []post) ([]agentgraph.PostID, error) {
	thread := make([]agentgraph.PostID, len(given.thread))
	for i, text := range given.thread {
		if err := thread[i].UnmarshalText([]byte(text)); err != nil {
			return nil, misuse(c, "%s", plain(err))
		}
		if !slices.ContainsFunc(waiting, func(p post) bool { return p.ID == thread[i] }) {
			return nil, fmt.Errorf("post %s does not wait at seat %q, there waits: %s", text, given.seat, ids(waiting))
		}
	}
	return thread, nil
}

// ids lists posts.
func ids(posts []post) string {
	if len(posts) == 0 {
		return "nothing"
	}
	all := make([]string, len(posts))
	for i, p := range posts {
		all[i] = p.ID.String()
	}
	return strings.Join(all, ", ")
}
