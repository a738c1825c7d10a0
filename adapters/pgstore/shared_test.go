package pgstore_test

import (
	"fmt"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

// TestSharedStores have connections of their own and the same tables.
func TestSharedStores(t *testing.T) {
	if left(t) {
		return
	}
	storetest.RunShared(t, func(t *testing.T) func() agentgraph.Store {
		tables := fmt.Sprintf("t%d_", made.Add(1))
		return func() agentgraph.Store {
			return openURL(t, shared.url("postgres"), &pgstore.Options{Prefix: tables})
		}
	})
}
