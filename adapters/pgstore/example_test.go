package pgstore_test

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

func Example() {
	ctx := context.Background()
	store, err := pgstore.Open(ctx, os.Getenv("DATABASE_URL"), &pgstore.Options{Schema: "flows"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	greet := agentgraph.NewResumable("greet", func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "greeting", func(context.Context) (string, error) { return "Good morning", nil })
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := greet.Run(ctx, "greet/17", nil) // again on any machine, it goes on where it was
	fmt.Println(string(result.Artifacts["greeting"]), err)
}
