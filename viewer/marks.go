package viewer

import (
	"fmt"
	"strings"
)

// marked is a text with the marks that turn the direction of writing as escapes, by
// which it could look like another: \u202e.
func marked(text string) string {
	if !strings.ContainsFunc(text, turns) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if turns(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// turns says whether a character is one of Unicode's Bidi_Control.
func turns(r rune) bool {
	return r == '\u061c' || r == '\u200e' || r == '\u200f' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
