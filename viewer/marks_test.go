package viewer

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

func TestMarked(t *testing.T) {
	require.Equal(t, `a\u202eb\u061c\u200e\u200f\u2069`, marked("a\u202eb\u061c\u200e\u200f\u2069"))
	require.Equal(t, "שלום\n<b> \u200b", marked("שלום\n<b> \u200b"))
	for r := range unicode.MaxRune + 1 {
		if turns(r) != unicode.Is(unicode.Bidi_Control, r) {
			t.Errorf("%U", r)
		}
	}
}
