package canon

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// appendString appends the form of a string, given what is between its quotes and
// whether that is plain: without escapes.
func appendString(out, quoted []byte, plain bool) []byte {
	if !plain {
		from := len(out)
		out = unescape(append(out, stringTag, 0), quoted)
		return seal(out, from)
	}
	if len(quoted) > maxBody {
		return appendHashed(out, stringTag, quoted)
	}
	out = append(out, stringTag, byte(len(quoted)))
	return append(out, quoted...)
}

// unescape appends the code points of a string that the scanner has passed, in UTF-8.
// Half of a surrogate pair has three bytes as if UTF-8 had it, which no other text has.
func unescape(out, quoted []byte) []byte {
	for {
		i := bytes.IndexByte(quoted, '\\')
		if i < 0 {
			return append(out, quoted...)
		}
		out = append(out, quoted[:i]...)
		quoted = quoted[i:]
		if quoted[1] != 'u' {
			out = append(out, escaped(quoted[1]))
			quoted = quoted[2:]
			continue
		}
		r := hex4(quoted[2:])
		quoted = quoted[6:]
		if len(quoted) >= 6 && quoted[0] == '\\' && quoted[1] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(quoted[2:])); pair != utf8.RuneError {
				r = pair
				quoted = quoted[6:]
			}
		}
		out = appendCodePoint(out, r)
	}
}

func appendCodePoint(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(out, r)
}

// escaped is the character that \c stands for.
func escaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// hex4 is the number that the first four hex digits of b write.
func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		r <<= 4
		switch {
		case c <= '9':
			r |= rune(c - '0')
		default:
			r |= rune(c|0x20-'a') + 10
		}
	}
	return r
}
