package review

import (
	"context"
	"slices"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// newReader answers a request with one post for each directory.
func newReader() agentgraph.Agent[Body] {
	return agentgraph.EachContext(func(ctx context.Context, in Post) ([]Post, error) {
		parts, err := read(ctx, *in.Body.Request)
		if err != nil {
			return nil, err
		}
		outs := make([]Post, len(parts))
		for i := range parts {
			outs[i].Body.Part = &parts[i]
		}
		return outs, nil
	})
}

// newLead hands each part to the team, and speaks when all of it has answered.
// Its state is the answers so far.
func newLead(team int) agentgraph.Agent[Body] {
	return agentgraph.Machine(nil, func(heard []Post, in Post) ([]Post, []Post) {
		if in.Body.Part != nil {
			return heard, []Post{{To: []string{"work"}, Body: in.Body}}
		}
		answers, others := byPart(heard, in.Body.Review.N)
		answers = append(answers, in)
		if len(answers) < team {
			return append(others, answers...), nil
		}
		out := agentgraph.Reply(Body{Review: gather(answers)}, answers...)
		out.To = []string{agentgraph.Outside}
		return others, []Post{out}
	})
}

// byPart returns the reviews of one part and those of the others, as new slices.
func byPart(heard []Post, n int) (these, others []Post) {
	for _, p := range heard {
		if p.Body.Review.N == n {
			these = append(these, p)
		} else {
			others = append(others, p)
		}
	}
	return these, others
}

// gather makes one review of several of one part.
func gather(answers []Post) *Review {
	all := Review{Portion: answers[0].Body.Review.Portion}
	for _, a := range answers {
		all.Findings = append(all.Findings, a.Body.Review.Findings...)
	}
	slices.SortFunc(all.Findings, Finding.compare)
	return &all
}

// newReviewer answers each part with what it found there, be it nothing.
func newReviewer(r reviewer, slow time.Duration) agentgraph.Agent[Body] {
	return agentgraph.EachContext(func(ctx context.Context, in Post) ([]Post, error) {
		part := in.Body.Part
		if err := wait(ctx, slow*time.Duration(part.Files)); err != nil {
			return nil, err
		}
		return []Post{{Body: Body{Review: &Review{part.Portion, r.review(*part)}}}}, nil
	})
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// newMerger joins the findings of each line.
func newMerger() agentgraph.Agent[Body] {
	return agentgraph.Each(func(in Post) []Post {
		r := in.Body.Review
		return []Post{{Body: Body{Summary: &Summary{r.Portion, join(r.Findings)}}}}
	})
}

// newEditor posts the report when all parts are in. It cites them all.
func newEditor(kinds []string) agentgraph.Agent[Body] {
	return agentgraph.Tape(func(heard []Post) []Post {
		if len(heard) < heard[0].Body.Summary.Of {
			return nil
		}
		parts := make([]Summary, len(heard))
		for i, p := range heard {
			parts[i] = *p.Body.Summary
		}
		return []Post{agentgraph.Reply(Body{Report: newReport(parts, kinds)}, heard...)}
	})
}
