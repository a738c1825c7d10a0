package filestore_test

import (
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

func TestSharedContract(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T) func() agentgraph.Store {
		dir := t.TempDir()
		return func() agentgraph.Store { return open(t, dir) }
	})
}
