package agentgraph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph"
)

func ExampleMemStore() {
	ctx, s := context.Background(), agentgraph.NewMemStore()
	fmt.Println(s.Append(ctx, "order/17", 0,
		agentgraph.Record{Kind: "begin", Data: []byte(`{"by": "ann"}`)},
		agentgraph.Record{Kind: "end", Data: []byte(`true`)}))

	err := s.Append(ctx, "order/17", 1, agentgraph.Record{Kind: "late", Data: []byte(`null`)})
	fmt.Println(errors.Is(err, agentgraph.ErrConflict), err)

	for r, err := range s.Read(ctx, "order/17", 0) {
		fmt.Println(r.Seq, r.Kind, string(r.Data), err)
	}
	// Output:
	// <nil>
	// true agentgraph: run "order/17": journal has another length: expected 1 records, has 2
	// 1 begin {"by":"ann"} <nil>
	// 2 end true <nil>
}
