package natsfleet_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// All of a fleet in one process: the server, a worker, and who hands in a run. A run
// that waits for an answer takes no worker.
func Example() {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	srv, err := natsfleet.Embedded(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	nc, err := srv.Connect()
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()

	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	f, err := natsfleet.Open(ctx, nc, natsfleet.Options{Name: "orders"})
	if err != nil {
		log.Fatal(err)
	}
	order := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
		price, err := agentgraph.Do(s, "price", func(context.Context) (int, error) { return 42, nil })
		if err != nil {
			return err
		}
		_, err = agentgraph.Ask[bool](s, "approved", fmt.Sprintf("pay %d?", price))
		return err
	}, nil)
	if err := f.Register(order, natsfleet.AtOnce(10)); err != nil {
		log.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- f.Work(ctx, 4) }()

	if err := f.Submit(ctx, "order", "order/17", nil); err != nil {
		log.Fatal(err)
	}
	for {
		s, err := f.Status(ctx, "order/17")
		if err != nil {
			log.Fatal(err)
		}
		if s.State == natsfleet.Waiting {
			fmt.Println(s.Questions[0].Step, string(s.Questions[0].Question))
			break
		}
	}
	if err := f.Answer(ctx, "order/17", "approved", true); err != nil {
		log.Fatal(err)
	}
	result, err := f.Wait(ctx, "order/17")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Artifacts["price"]), string(result.Artifacts["approved"]))
	stop()
	if err := <-done; err != nil {
		log.Fatal(err)
	}
	// Output:
	// approved "pay 42?"
	// 42 true
}

// A server that other processes reach.
func ExampleEmbedded() {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	srv, err := natsfleet.Embedded(dir, func(o *server.Options) {
		o.DontListen = false
		o.Username, o.Password = "fleet", "secret"
	})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	fmt.Println(srv.URL() != "")
	// Output: true
}

// A flow says which of its errors pass.
func ExamplePassing() {
	ask := func(ctx context.Context) (string, error) {
		answer, err := model(ctx)
		if err != nil {
			return "", natsfleet.Passing(err) // the fleet tries again in a while
		}
		return answer, nil
	}
	_, err := ask(context.Background())
	fmt.Println(err, natsfleet.IsPassing(fmt.Errorf("step: %w", err)))
	// Output: model is busy true
}

func model(context.Context) (string, error) { return "", fmt.Errorf("model is busy") }
