package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

func Example() {
	dir, err := os.MkdirTemp("", "jetstream")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, JetStream: true, StoreDir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv.Start()
	defer srv.WaitForShutdown()
	defer srv.Shutdown()
	srv.ReadyForConnections(time.Minute)

	nc, err := nats.Connect(srv.ClientURL(), nats.MaxReconnects(-1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	s, err := natsstore.Open(ctx, nc, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Append(ctx, "order/17", 0, agentgraph.Record{Kind: "begin", Data: []byte(`{"by": "ann"}`)}))
	fmt.Println(s.Append(ctx, "order/17", 1, agentgraph.Record{Kind: "end", Data: []byte(`true`)}))

	err = s.Append(ctx, "order/17", 1, agentgraph.Record{Kind: "late", Data: []byte(`null`)})
	fmt.Println(errors.Is(err, agentgraph.ErrConflict), err)

	for r, err := range s.Read(ctx, "order/17", 0) {
		fmt.Println(r.Seq, r.Kind, string(r.Data), err)
	}
	// Output:
	// <nil>
	// <nil>
	// true agentgraph: run "order/17": journal has another length: expected 1 records, has 2
	// 1 begin {"by":"ann"} <nil>
	// 2 end true <nil>
}
