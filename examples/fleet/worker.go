package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

// work is a worker: it ends with the service that started it.
func work(ctx context.Context, s settings, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	f, nc, err := join(ctx, s, out)
	if err != nil {
		return err
	}
	defer nc.Close()
	return f.Work(ctx, 4)
}

// join makes the program a part of the fleet. Its log says which process does what.
func join(ctx context.Context, s settings, out io.Writer) (*natsfleet.Fleet, *nats.Conn, error) {
	log := slog.New(slog.NewTextHandler(out, nil)).With("process", os.Getpid())
	reviews, err := flow(s.slow, log)
	if err != nil {
		return nil, nil, err
	}
	nc, err := nats.Connect(s.urls, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return nil, nil, err
	}
	f, err := natsfleet.Open(ctx, nc, natsfleet.Options{
		Name:    "codereview",
		Silence: 3 * time.Second, // so soon is a worker missed
		Logger:  log,
	})
	if err == nil {
		err = f.Register(reviews)
	}
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return f, nc, nil
}

// flowName is the same on all machines.
const flowName = "codereview"

// flow is the meeting of a review as a run: artifact "request" goes in, "report" comes out.
func flow(slow time.Duration, log *slog.Logger) (*agentgraph.Resumable, error) {
	roster, err := review.NewRoster(slow)
	if err != nil {
		return nil, err
	}
	return agentgraph.NewResumable(flowName, func(s *agentgraph.Step) error {
		_, err := review.Hold(s, roster)
		return err
	}, &agentgraph.ResumableOptions{Logger: log}), nil
}
