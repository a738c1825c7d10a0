package natsstore

import (
	"encoding/hex"
	"strings"
)

// escaped is a run ID as one token of a subject. Printable ASCII stays as it is but
// for the dot, the wildcards and the percent sign; any other byte is a percent sign
// and two hex digits. The longest ID makes 1536 bytes.
func escaped(runID string) string {
	var b strings.Builder
	for i := range len(runID) {
		c := runID[i]
		if isPlain(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteString(hex.EncodeToString([]byte{c}))
	}
	return b.String()
}

func isPlain(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune(".*>%", rune(c))
}

// unescaped is the run ID of a token, and whether [escaped] can have made it.
func unescaped(token string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '%' {
			b.WriteByte(token[i])
			continue
		}
		if i+2 >= len(token) {
			return "", false
		}
		c, err := hex.DecodeString(token[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	runID := b.String()
	return runID, escaped(runID) == token
}
