package packed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListsKeepTheirItemsApart(t *testing.T) {
	l := New[string]([]int32{2, 0, 3})
	require.Equal(t, 3, l.Len())
	l.Add(2, "x")
	l.Add(0, "a")
	l.Add(2, "y")
	l.AddNew(2, "y")
	l.AddNew(2, "x")
	l.AddNew(0, "b")
	require.Equal(t, []string{"a", "b"}, l.Of(0))
	require.Empty(t, l.Of(1))
	require.Equal(t, []string{"x", "y", "x"}, l.Of(2))
}
