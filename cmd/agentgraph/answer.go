package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

func (a *app) answer() *cobra.Command {
	var given reply
	c := &cobra.Command{
		Use:   "answer RUN STEP VALUE",
		Short: "Answer what a run waits for",
		Long: `Answer the question of a step, or post at a seat of the meeting that is held in it;
the next run goes on from there. It starts none, but the workers of a fleet find the
answer by themselves within minutes. VALUE is JSON for a step and text for a seat;
"-" is standard input, but for the end of its last line. What a run waits for is in:
agentgraph show RUN

A step that says which kind of value it wants takes no other, but with --force; null
goes for any. Where it wants a text, VALUE is taken as one if it is no JSON, does not
begin with a quote, [ or {, and is not blank; "17" in quotes of JSON, or 17 with
--text, is a text, too.

A post at a seat answers all that waits there, or with --thread that alone which it
names, so that several posts can have an answer each, before the next run or after
it. The IDs of posts are in: agentgraph log RUN STEP. Where no post that waits is a
text, no text can answer, and JSON is to be given with --json.`,
		Example: `  agentgraph answer order/17 approve true
  agentgraph answer order/17 remark 'Leave it at the door.'
  agentgraph answer order/17 review --seat editor 'Looks good.'
  agentgraph answer order/17 review --seat editor --thread team/y#0 'Only this one.'
  agentgraph answer order/17 vote --seat chair --json '{"pass": true}'`,
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: a.completeRun(asked),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			var err error
			if given.value, err = a.value(c, args[2], given); err != nil {
				return err
			}
			h, err := history(c.Context(), store, args[0])
			if err != nil {
				return err
			}
			if given.seat == "" {
				err = answerStep(c, store, h.Asked(args[1], ""), args[0], args[1], given)
			} else {
				err = answerSeat(c, store, args[0], args[1], given)
			}
			if errors.Is(err, agentgraph.ErrNoQuestion) {
				return fmt.Errorf("%w%s", err, others(askedWhere(h)))
			}
			return err
		}),
	}
	c.Flags().StringVar(&given.seat, "seat", "", "post at this `seat` of the meeting")
	c.Flags().StringArrayVar(&given.to, "to", nil, "address the post to this `channel`; default all that the seat posts to")
	c.Flags().StringArrayVar(&given.thread, "thread", nil, "answer the post with this `ID`, of those that wait at the seat; default all of them")
	c.Flags().BoolVar(&given.text, "text", false, "VALUE is text")
	c.Flags().BoolVar(&given.json, "json", false, "VALUE is JSON")
	c.Flags().BoolVar(&given.force, "force", false, "take VALUE whatever the step wants, as where its code has changed since it asked")
	return c
}

// reply is how an answer is given.
type reply struct {
	seat       string
	to         []string
	thread     []string // IDs of posts
	text, json bool
	force      bool // the step takes any kind
	value      string
}

// isText says whether the value is taken as it is.
func (r reply) isText() bool { return r.text || r.seat != "" && !r.json }

// value reads the answer.
func (a *app) value(c *cobra.Command, arg string, given reply) (string, error) {
	switch {
	case given.text && given.json:
		return "", misuse(c, "--text and --json do not go together")
	case given.seat != "" && given.force:
		return "", misuse(c, "--force does not go with --seat")
	case given.seat == "" && len(given.to) > 0:
		return "", misuse(c, "--to goes with --seat")
	case given.seat == "" && len(given.thread) > 0:
		return "", misuse(c, "--thread goes with --seat")
	case arg == "-":
		all, err := io.ReadAll(a.in)
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		arg = strings.TrimSuffix(strings.TrimSuffix(string(all), "\n"), "\r")
	}
	return arg, nil
}

// raw is the answer as JSON. What is none may be a text all the same.
func (r reply) raw(c *cobra.Command, mayBeText bool) (json.RawMessage, error) {
	isJSON := json.Valid([]byte(r.value))
	switch {
	case r.isText(), !isJSON && mayBeText:
		return json.Marshal(r.value)
	case !isJSON:
		return nil, misuse(c, "%q is no JSON; for a text use --text", r.value)
	}
	return json.RawMessage(r.value), nil
}

// askedWhere returns what can be answered, as answer is told of it, in order of path
// and seat.
func askedWhere(h *journal.History) []string {
	var all []string
	for _, q := range h.Open() {
		where := q.Step
		if q.Seat != "" {
			where += " --seat " + q.Seat
		}
		all = append(all, where)
	}
	slices.Sort(all)
	return all
}

// asked returns the paths of the steps that wait for an answer.
func asked(h *journal.History) []string {
	var paths []string
	for _, q := range h.Open() {
		paths = append(paths, q.Step)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
