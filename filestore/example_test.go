package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	s, err := filestore.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println(s.Append(ctx, "order/17", 0, agentgraph.Record{Kind: "begin", Data: []byte(`{"by": "ann"}`)}))
	fmt.Println(s.Append(ctx, "order/17", 1, agentgraph.Record{Kind: "end", Data: []byte(`true`)}))

	err = s.Append(ctx, "order/17", 1, agentgraph.Record{Kind: "late", Data: []byte(`null`)})
	fmt.Println(errors.Is(err, agentgraph.ErrConflict), err)

	for r, err := range s.Read(ctx, "order/17", 0) {
		fmt.Println(r.Seq, r.Kind, string(r.Data), err)
	}
	files, err := os.ReadDir(dir)
	fmt.Println(files[0].Name(), err)
	// Output:
	// <nil>
	// <nil>
	// true agentgraph: run "order/17": journal has another length: expected 1 records, has 2
	// 1 begin {"by":"ann"} <nil>
	// 2 end true <nil>
	// order%2f17.jsonl <nil>
}
