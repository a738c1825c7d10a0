package diagram

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisibleTellsNamesApart(t *testing.T) {
	for name, want := range map[string]string{
		"":           `""`,
		"a\nb":       `a\nb`,
		`a\nb`:       `a\\nb`,
		"\u202ea":    `\u202ea`,
		`\u202ea`:    `\\u202ea`,
		"\xff":       `\xff`,
		`say "hi"`:   `say "hi"`,
		`\"`:         `\\"`,
		"\u200fשלום": `\u200fשלום`,
		"\U000e0001": `\U000e0001`,
	} {
		require.Equal(t, want, Visible(name))
	}
}

func TestTextIsEscaped(t *testing.T) {
	require.Equal(t, `"a \\\\n \"b\" &amp;lt;"`, dotString(Visible(`a \n "b" &lt;`)))
	require.Equal(t, "a #34;b#34; #60;i#62; #35;#59;", mermaidText(`a "b" <i> #;`))
}
