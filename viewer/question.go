package viewer

import (
	"context"
	"net/http"

	"github.com/seed-a2b66b4f/agentgraph"
)

// question sends a question, all of it, as a file.
func (v *viewer) question(w http.ResponseWriter, r *http.Request) error {
	step := r.FormValue("step")
	q, err := v.asked(r.Context(), r.FormValue("id"), step, r.FormValue("seat"), r.FormValue("print"))
	if err != nil {
		return err
	}
	if q == nil {
		return missing("This is not asked, or no more.")
	}
	return download(w, step, q.Question)
}

func questionLink(id string, q agentgraph.Question) string {
	return link("question", "id", id, "step", q.Step, "seat", q.Seat, "print", printOf(q))
}

// asked is the question with a print that a step, or a seat of it, has open, or nil.
func (v *viewer) asked(ctx context.Context, id, step, seat, print string) (*agentgraph.Question, error) {
	questions, err := agentgraph.Questions(ctx, v.store, id)
	if err != nil {
		return nil, err
	}
	for i, q := range questions {
		if q.Step == step && q.Seat == seat && printOf(q) == print {
			return &questions[i], nil
		}
	}
	return nil, nil
}
