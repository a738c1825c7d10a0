package filestore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

func open(t testing.TB, dir string) *filestore.Store {
	t.Helper()
	s, err := filestore.Open(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) agentgraph.Store { return open(t, t.TempDir()) })
}
