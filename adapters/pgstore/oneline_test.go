package pgstore

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnOneLine(t *testing.T) {
	require.Equal(t, io.EOF, onOneLine(io.EOF))
	err := onOneLine(errors.Join(errors.New("no host:\n\tresolving: lookup a\n\tlookup a\n\tlookup b"), io.EOF))
	require.EqualError(t, err, "no host: resolving: lookup a; lookup b; EOF")
	require.ErrorIs(t, err, io.EOF)
}
