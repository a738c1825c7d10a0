// Package sample fills stores with runs for the tests of the pages.
package sample

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Hostile is a name that a page must show and never obey: markup, quotes, marks that
// turn the direction of writing, and what means something in an address.
const Hostile = "<script>alert(1)</script>\"'`&\u202eevil\u2066 ?#%2f/../x"

// Fill runs one of each kind: "order" has three attempts, of which the last is
// finished, "panel" is a meeting that is over, "desk" one that waits at a seat,
// "approval" asks a question, "ill" failed, "stopped" was interrupted, and Hostile
// bears its name everywhere.
func Fill(ctx context.Context, store agentgraph.Store) error {
	return errors.Join(order(ctx, store), Panel(ctx, store, "panel"), Desk(ctx, store), approval(ctx, store),
		ill(ctx, store), stopped(ctx, store), hostile(ctx, store))
}

// run does work of which only an unexpected error counts.
func run(ctx context.Context, store agentgraph.Store, id, name string, in map[string]any, body func(*agentgraph.Step) error) error {
	_, err := agentgraph.NewResumable(name, body, &agentgraph.ResumableOptions{Store: store}).Run(ctx, id, in)
	if errors.Is(err, errMeant) || errors.Is(err, agentgraph.ErrWaiting) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

var errMeant = errors.New("the price service does not answer: dial tcp 10.0.0.7:443: i/o timeout")

// cart is an artifact that changes in the middle.
type cart struct {
	Customer string   `json:"customer"`
	Items    []string `json:"items"`
	Total    float64  `json:"total,omitempty"`
	Paid     bool     `json:"paid"`
}

// pricer is an agent with a state.
type pricer struct{ seen int }

func (*pricer) Name() string                { return "pricer" }
func (p *pricer) ExportState() (any, error) { return map[string]int{"seen": p.seen}, nil }
func (p *pricer) ImportState(s json.RawMessage) error {
	return json.Unmarshal(s, &struct{ Seen *int }{&p.seen})
}

func (p *pricer) Invoke(_ context.Context, in agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	var c cart
	if err := json.Unmarshal(in["cart"], &c); err != nil {
		return nil, err
	}
	p.seen += len(c.Items)
	c.Total = 19.5 * float64(len(c.Items))
	raw, err := json.Marshal(c)
	return agentgraph.Artifacts{"cart": raw}, err
}

func order(ctx context.Context, store agentgraph.Store) error {
	attempt := func(fails bool, note string) error {
		agent := &pricer{}
		return run(ctx, store, "order", "order", map[string]any{"customer": "Ada"}, func(s *agentgraph.Step) error {
			return errors.Join(orderSteps(s, agent, fails, note))
		})
	}
	return errors.Join(attempt(true, "first"), attempt(false, "first"), attempt(false, "second"))
}

func orderSteps(s *agentgraph.Step, agent agentgraph.ArtifactAgent, fails bool, note string) error {
	err := s.Step("collect", func(s *agentgraph.Step) error {
		time.Sleep(3 * time.Millisecond)
		s.Set("cart", cart{Customer: "Ada", Items: []string{"lamp", "desk", "chair"}})
		return s.Step("check stock", func(s *agentgraph.Step) error { s.Set("stock", map[string]int{"lamp": 4, "desk": 1}); return nil })
	})
	if err != nil {
		return err
	}
	err = s.Step("price", func(s *agentgraph.Step) error {
		if fails {
			return errMeant
		}
		time.Sleep(2 * time.Millisecond)
		return s.StepAgent(agent)
	}, agentgraph.Input("currency", "EUR"))
	if err != nil {
		return err
	}
	return s.Step("confirm", func(s *agentgraph.Step) error {
		s.Set("confirmation", strings.Repeat("Thank you, Ada. ", 3))
		return nil
	}, agentgraph.Input("note", note))
}

func approval(ctx context.Context, store agentgraph.Store) error {
	return run(ctx, store, "approval", "approval", nil, func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[string](s, "approve", map[string]any{"amount": 1200, "for": "two chairs", "choices": []string{"yes", "no"}})
		return err
	})
}

func ill(ctx context.Context, store agentgraph.Store) error {
	return run(ctx, store, "ill", "import", nil, func(s *agentgraph.Step) error {
		return s.Step("fetch", func(s *agentgraph.Step) error { return fmt.Errorf("page 3: %w", errMeant) })
	})
}

func stopped(ctx context.Context, store agentgraph.Store) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return run(ctx, store, "stopped", "import", nil, func(s *agentgraph.Step) error {
		_ = s.Step("fetch", func(s *agentgraph.Step) error { s.Set("rows", 40); return nil })
		cancel()
		return s.Context().Err()
	})
}

func hostile(ctx context.Context, store agentgraph.Store) error {
	return run(ctx, store, Hostile, Hostile, map[string]any{Hostile: Hostile}, func(s *agentgraph.Step) error {
		_ = s.Step(Hostile, func(s *agentgraph.Step) error {
			s.Set(Hostile, map[string]string{Hostile: Hostile + "."})
			return nil
		}, agentgraph.Input("extra"+Hostile, Hostile))
		_ = s.Step("fails", func(*agentgraph.Step) error { return errors.New(Hostile) })
		talk := agentgraph.Connect(agentgraph.Channels(Hostile+"c"), agentgraph.Vertex(Hostile+"a"), agentgraph.Vertex("b"))
		roster, err := agentgraph.ToRoster(talk, agentgraph.Registry[string]{
			Hostile + "a": agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: Hostile}} })),
			"b":           agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil })),
		})
		if err != nil {
			return err
		}
		_, err = agentgraph.RunMeeting(s, "talk"+Hostile, roster, []post{agentgraph.NewPost(Hostile, []string{agentgraph.Everyone}, Hostile)})
		if err != nil {
			return err
		}
		_, err = agentgraph.Ask[string](s, "ask"+Hostile, Hostile)
		return err
	})
}

// Steps runs a flow of so many steps.
func Steps(ctx context.Context, store agentgraph.Store, id string, n int) error {
	return run(ctx, store, id, "steps", nil, func(s *agentgraph.Step) error {
		for i := range n {
			err := s.Step(fmt.Sprintf("step %d", i), func(s *agentgraph.Step) error { s.Set("n", i); return nil })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Copies fills a store with a run of one step under so many IDs, "run-00000" first.
func Copies(ctx context.Context, store agentgraph.Store, n int) error {
	if err := Steps(ctx, store, "run-00000", 1); err != nil {
		return err
	}
	var records []agentgraph.Record
	for r, err := range store.Read(ctx, "run-00000", 0) {
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	for i := 1; i < n; i++ {
		if err := store.Append(ctx, fmt.Sprintf("run-%05d", i), 0, records...); err != nil {
			return err
		}
	}
	return nil
}
