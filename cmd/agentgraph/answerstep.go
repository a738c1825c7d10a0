package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/kind"
)

// answerStep answers the question of a step. What is plainly of another kind than the
// step wants is refused here, for the run would find it out at the price of an attempt.
func answerStep(c *cobra.Command, store agentgraph.Store, asked *journal.Entry, runID, step string, given reply) error {
	if asked == nil {
		return fmt.Errorf("run %q, step %q: %w", runID, step, agentgraph.ErrNoQuestion)
	}
	wanted := asked.Wants
	if given.force {
		wanted = ""
	}
	value, err := stepValue(c, step, wanted, given)
	if err != nil {
		return err
	}
	return agentgraph.Answer(c.Context(), store, runID, step, value)
}

// stepValue is the answer to a step that wants a kind of value.
func stepValue(c *cobra.Command, step, wanted string, given reply) (json.RawMessage, error) {
	value, err := given.raw(c, !given.json && wanted == kind.String && isPlainText(given.value))
	switch {
	case err != nil && kind.NoText(wanted):
		return nil, misuse(c, "%q is no JSON, and step %q wants %s", given.value, step, kind.Named(wanted))
	case err != nil:
		return nil, err
	case !kind.Other(wanted, value):
		return value, nil
	case wanted == kind.String:
		return nil, misuse(c, "step %q wants %s, and this is %s: %s; for a text use --text", step, kind.Named(wanted), kind.Named(kind.Of(value)), short(value))
	}
	return nil, misuse(c, "step %q wants %s, and this is %s: %s", step, kind.Named(wanted), kind.Named(kind.Of(value)), short(value))
}

// isPlainText says of what is no JSON whether it is a text: it may not be blank, nor
// begin as JSON does that somebody has got wrong.
func isPlainText(value string) bool {
	value = strings.TrimSpace(value)
	return value != "" && !strings.ContainsRune(`"[{`, rune(value[0]))
}
