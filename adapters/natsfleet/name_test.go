package natsfleet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzName(f *testing.F) {
	for _, text := range []string{"", "a-Z_9", ".", "*", ">", "=", "=3d", "=3D", "a=4", "é", "\xff", "a b/c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token := escaped(text)
		require.NotContains(t, token, ".")
		back, ok := unescaped(token)
		require.True(t, ok)
		require.Equal(t, text, back)
		if back, ok := unescaped(text); ok {
			require.Equal(t, text, escaped(back), "each token is one text's")
		}
	})
}
