package recent

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMap(t *testing.T) {
	var m Map[int]
	require.Zero(t, m.Get("a"))
	m.Set("a", 1)
	require.Equal(t, 1, m.Get("a"))
	m.Swap("a", 2, 3)
	require.Equal(t, 1, m.Get("a"))
	m.Swap("a", 1, 3)
	require.Equal(t, 3, m.Get("a"))
	m.Swap("b", 0, 4)
	require.Equal(t, 4, m.Get("b"))
	m.Forget()
	require.Zero(t, m.Get("a"))
}

// TestMapForgets: what was not used for long goes, what was used stays.
func TestMapForgets(t *testing.T) {
	var m Map[int]
	m.Set("used", 1)
	m.Set("left", 2)
	for i := range 3 * remembered {
		m.Set(strconv.Itoa(i), i)
		require.Equal(t, 1, m.Get("used"))
		require.LessOrEqual(t, len(m.newer)+len(m.old), 2*remembered)
	}
	require.Zero(t, m.Get("left"))
	for i := 2 * remembered; i < 3*remembered; i++ {
		require.Equal(t, i, m.Get(strconv.Itoa(i)))
	}
}
