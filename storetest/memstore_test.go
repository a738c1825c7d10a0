package storetest_test

import (
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

func TestMemStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) agentgraph.Store { return agentgraph.NewMemStore() })
}
