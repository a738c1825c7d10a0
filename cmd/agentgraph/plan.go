package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

func (a *app) plan() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "plan RUN",
		Short: "Say what would be skipped, and what would run again, if a run were run now",
		Long: `Say what would become of each step if the run were run now, on the input of its
last attempt and with the same code: as far as the journal can tell.

  skip     it was executed with the input that it would have
  run      it would run, for the first time or again
  wait     it would wait for an answer, which nobody has given
  perhaps  it would be skipped if the steps before it, which run, leave what they
           left before, and run otherwise`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeRun(nil),
		RunE: a.with(func(c *cobra.Command, store agentgraph.Store, args []string) error {
			h, err := history(c.Context(), store, args[0])
			if err != nil {
				return err
			}
			for _, f := range planOf(h) {
				if !asJSON {
					a.print("%s  %s: %s\n", a.coloured(f.Then), visible(f.Step), visible(f.Why))
				} else if err := a.json(f); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return c
}

// What can become of a step.
const (
	skips   = "skip"
	runs    = "run"
	waits   = "wait"
	perhaps = "perhaps"
)

// forecast says what would become of a step.
type forecast struct {
	Step string `json:"step"`
	Then string `json:"then"`
	Why  string `json:"why"`
}

// planner goes through the steps of the last attempt in their order.
type planner struct {
	history   *journal.History
	asked     map[string]bool // paths of steps that wait for an answer that nobody has given
	told      map[string]bool // paths of steps that there is a forecast for
	forecasts []forecast
	runs      string // the first step that would run, after which nothing is certain
}

func planOf(h *journal.History) []forecast {
	p := &planner{history: h, asked: map[string]bool{}, told: map[string]bool{}}
	for _, q := range h.Open() {
		p.asked[q.Step] = true
	}
	last := len(h.Attempts) - 1
	tree := h.Tree(last)
	p.walk(tree)
	if end := h.Attempts[last].End; end == nil || end.Status != journal.Done {
		p.follow(tree)
	}
	return p.forecasts
}

func (p *planner) add(path, then, why string, args ...any) {
	p.told[path] = true
	p.forecasts = append(p.forecasts, forecast{path, then, fmt.Sprintf(why, args...)})
}

func (p *planner) walk(nodes []*journal.Node) {
	for _, n := range nodes {
		if n.Step != nil {
			p.step(n)
		}
	}
}

func (p *planner) step(n *journal.Node) {
	path := n.Step.Path
	switch {
	case n.Status != journal.Executed && n.Status != journal.Cached:
		p.again(n)
	case p.runs == "":
		p.add(path, skips, "executed in attempt %d", n.Step.Attempt+1)
	default:
		p.add(path, perhaps, "executed in attempt %d, before %s had ended well", n.Step.Attempt+1, p.runs)
	}
}

// again is for a step that did not end well. What ended well in it is kept.
func (p *planner) again(n *journal.Node) {
	path := n.Step.Path
	then, why := runs, "it had not ended"
	switch {
	case p.asked[path]:
		then, why = waits, "nobody has answered"
	case n.Status == journal.Errored:
		why = "it failed: " + n.Error
	case n.Status == journal.Waiting:
		why = "what it waited for may go on"
	}
	if kept := turns(n.Children); kept > 0 {
		why += fmt.Sprintf("; turns that would be skipped: %d", kept)
	}
	p.add(path, then, "%s", why)
	p.walk(n.Children)
	if p.runs == "" {
		p.runs = path
	}
}

// turns counts the turns that were taken.
func turns(nodes []*journal.Node) int {
	n := 0
	for _, node := range nodes {
		if node.Turn != nil && node.Turn.Status == "" {
			n++
		}
		if node.Step == nil {
			n += turns(node.Children)
		}
	}
	return n
}

// follow goes on where the last attempt ended too early, with what earlier ones did
// from there.
func (p *planner) follow(tree []*journal.Node) {
	h := p.history
	state := h.Step(h.Attempts[len(h.Attempts)-1].Entry.ID).In
	path := ""
	if len(tree) > 0 {
		last := tree[len(tree)-1].Step
		state, path = last.Out, last.Path
	}
	before := earlierOf(h)
	for at := len(tree); p.runs == ""; at++ {
		next := p.next(before, path, at)
		if next == nil {
			return
		}
		path = next.Path
		for _, name := range next.Extra {
			if v := next.In.Get(name); v != nil {
				state = state.With(name, v)
			}
		}
		var also []journal.Digest
		for name, text := range next.Also { // they are added up
			also = append(also, journal.Digest{Name: name, Text: text})
		}
		done := h.Find(path, h.Input(state, also))
		if done == nil {
			p.add(path, runs, "its input was not that of any time before")
			return
		}
		p.add(path, skips, "executed in attempt %d", done.Attempt+1)
		state = done.Out
	}
}

// next is the step that came after the one of this path, or stood at this place in
// an attempt that lacks it, when an attempt last got there. One that there is a
// forecast for stands elsewhere since the code has changed, and is none.
func (p *planner) next(before []earlier, path string, at int) *journal.Step {
	for _, e := range before {
		if next := e.after(path, at); next != nil && !p.told[next.Path] {
			return next
		}
	}
	return nil
}
