package pgstore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

func TestOldServer(t *testing.T) {
	require.EqualError(t, checkSettings(120022, "UTF8", "on"), "the server is PostgreSQL 12, and 13 is the oldest that will do")
	require.EqualError(t, checkSettings(90624, "UTF8", "on"), "the server is PostgreSQL 9, and 13 is the oldest that will do")
	for _, commit := range []string{"on", "local", "remote_write", "remote_apply"} {
		require.NoError(t, checkSettings(130000, "UTF8", commit))
	}
}

func TestTooMuch(t *testing.T) {
	require.NoError(t, checkWeight(512<<20))
	err := checkWeight(512<<20 + 1)
	require.ErrorIs(t, err, agentgraph.ErrTooLarge)
	require.EqualError(t, err, "records are too large: 536870913 bytes in one append; PostgreSQL takes 536870912")
}
