package natsstore_test

import (
	"fmt"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

// TestSharedStores have connections of their own and the same stream, on one server
// and on three.
func TestSharedStores(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, url string
		replicas  int
	}{{"one server", start(t, options(t)).ClientURL(), 1}, {"three servers", urls(cluster(t)), 3}} {
		t.Run(c.name, func(t *testing.T) {
			n := 0
			storetest.RunShared(t, func(t *testing.T) func() agentgraph.Store {
				n++
				o := &natsstore.Options{Stream: fmt.Sprintf("journals-%d", n), Replicas: c.replicas}
				return func() agentgraph.Store { return open(t, connect(t, c.url), o) }
			})
		})
	}
}
