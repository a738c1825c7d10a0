package otelobserver_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/otelobserver"
)

func Example() {
	spans := tracetest.NewInMemoryExporter() // yours goes to a collector
	o, err := otelobserver.New(&otelobserver.Options{TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	if err != nil {
		fmt.Println(err)
		return
	}
	r := agentgraph.NewResumable("review", func(s *agentgraph.Step) error {
		return s.Step("read", func(*agentgraph.Step) error { return nil })
	}, &agentgraph.ResumableOptions{Store: o.Store(agentgraph.NewMemStore()), Observer: o.Runs()})
	if _, err := r.Run(context.Background(), "review/1", nil); err != nil {
		fmt.Println(err)
	}
	for _, s := range spans.GetSpans() { // in the order in which they end
		fmt.Println(s.Name)
	}
	// Output:
	// step read
	// attempt
	// invoke_workflow review
}
