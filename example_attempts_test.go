package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/seed-a2b66b4f/agentgraph"
)

// What each attempt at a run came to, and with what. The work itself knows no store:
// whoever runs it brings one.
func ExampleAttempts() {
	ctx := context.Background()
	broken := true
	work := agentgraph.NewResumable("bake", func(s *agentgraph.Step) error {
		if _, err := agentgraph.Do(s, "dough", func(context.Context) (string, error) { return "soft", nil }); err != nil {
			return err
		}
		return s.Step("bake", func(s *agentgraph.Step) error {
			if broken {
				return errors.New("the oven is cold")
			}
			s.Set("bread", "brown")
			return nil
		})
	}, nil)

	store := agentgraph.NewMemStore()
	_, err := work.On(store).Run(ctx, "monday", nil)
	fmt.Println(err)
	broken = false
	if _, err := work.On(store).Run(ctx, "monday", nil); err != nil {
		log.Fatal(err)
	}

	attempts, err := agentgraph.Attempts(ctx, store, "monday")
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range attempts {
		fmt.Println(a.Status, len(a.Artifacts), a.Error != "")
	}
	// Output:
	// agentgraph: run "monday", attempt 1, step "bake": the oven is cold
	// failed 1 true
	// finished 2 false
}
