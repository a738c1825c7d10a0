package agentgraph

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// output is what is recorded of a post that an agent made.
type output struct {
	To     []Channel       `json:"to,omitempty"`
	Thread []PostID        `json:"thread,omitempty"`
	Body   json.RawMessage `json:"body"`
}

// settledOutputs are outputs as they are after a JSON round trip, and their JSON.
func settledOutputs[B any](made []Post[B]) ([]Post[B], json.RawMessage, error) {
	if len(made) == 0 {
		return nil, nil, nil
	}
	outs, kept := slices.Clone(made), make([]output, len(made))
	for i := range outs {
		body, raw, err := settled(outs[i].Body)
		if err != nil {
			return nil, nil, fmt.Errorf("%soutput %d: %w", prefix, i, err)
		}
		outs[i].Body = body
		kept[i] = output{outs[i].To, outs[i].Thread, raw}
	}
	raw, err := canon.Marshal(kept)
	return outs, raw, err
}

// settled is a body as it is after a JSON round trip, and its JSON.
func settled[B any](body B) (B, json.RawMessage, error) {
	raw, err := canon.Marshal(body)
	if err != nil {
		return body, nil, err
	}
	if _, text := any(body).(string); text {
		return body, raw, nil
	}
	var again B
	err = json.Unmarshal(raw, &again)
	return again, raw, err
}

func printOf[B any](p *Post[B]) (string, error) {
	raw, err := canon.Marshal(p)
	if err != nil {
		return "", err
	}
	sum, err := canon.Sum(raw)
	return sum.Text(), err
}
