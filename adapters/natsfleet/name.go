package natsfleet

import (
	"encoding/hex"
	"strings"
)

// escaped is a text as a token of a subject, or the name of a consumer: letters,
// digits, dashes and underscores stay, any other byte is an equals sign and two hex
// digits.
func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; isPlain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('=')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// unescaped is the text of a token, and whether [escaped] can have made it.
func unescaped(token string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '=' {
			b.WriteByte(token[i])
			continue
		}
		c, err := hex.DecodeString(token[i+1 : min(i+3, len(token))])
		if err != nil || len(c) != 1 {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	text := b.String()
	return text, escaped(text) == token
}

func isPlain(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isName tells whether a text can stand in the name of a stream as it is.
func isName(text string) bool { return text != "" && escaped(text) == text }
