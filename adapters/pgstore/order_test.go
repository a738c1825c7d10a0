package pgstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrder: runs come in the order of their bytes, also in a database
// that sorts as people do.
func TestOrder(t *testing.T) {
	if left(t) {
		return
	}
	ctx, name := context.Background(), fmt.Sprintf("test%d", made.Add(1))
	require.NoError(t, shared.exec("postgres", "CREATE DATABASE "+name+" LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C' TEMPLATE template0"))
	s := openURL(t, shared.url(name), nil)
	for _, run := range []string{"é", "z", "a b", "b", "B", "a", "Z", "A", "ab", "a-b"} {
		require.NoError(t, s.Append(ctx, run, 0, note(0)))
	}
	var runs []string
	for run, err := range s.Runs(ctx) {
		require.NoError(t, err)
		runs = append(runs, run)
	}
	require.Equal(t, []string{"A", "B", "Z", "a", "a b", "a-b", "ab", "b", "z", "é"}, runs)
}
