package canon

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep lists and objects may lie in each other: less than encoding/json
// allows, so that it can still read what a value is put into.
const maxDepth = 9_900

// deepest is how deep encoding/json goes, and so the texts that values are put into.
const deepest = 10_000

// scanner reads a JSON text token by token and finds what is wrong in it:
//
//	for s.next() { use s.kind and s.text[s.from:s.to] }
//	if s.err != nil { the text is not valid }
type scanner struct {
	text     []byte
	kind     kind
	from, to int
	passed   bool // another scanner has passed the text: strings are not looked into
	plain    bool // of a string: it has no escapes; not told of a text that was passed
	point, e int  // of a number: where its whole digits and its fraction end
	want     kinds
	inObject bool // what is open is an object and no list
	depth    int
	limit    int      // of depth
	objects  uint64   // bit d says whether what is open at depth d is an object,
	deep     []uint64 // from depth 64 on here, for few texts come to need it
	err      error
}

// kind is a kind of token; those of a value are the tags of its form as well.
type kind byte

const (
	beginObject kind = objectTag
	endObject   kind = '}'
	beginList   kind = listTag
	endList     kind = ']'
	comma       kind = ','
	colon       kind = ':'
	keyToken    kind = 'k'
	stringToken kind = stringTag
	numberToken kind = numberTag
	nullToken   kind = 'n'
	trueToken   kind = 't'
	falseToken  kind = 'f'
)

// kinds says what may come next. Nothing of it after the value that is the text.
type kinds byte

const (
	wantValue kinds = 1 << iota
	wantKey
	wantColon
	wantComma
	wantEnd // of a list or object
)

func newScanner(text []byte) scanner {
	return scanner{text: text, want: wantValue, limit: maxDepth}
}

// next goes to the next token. It is false at the end of the text and at an error.
func (s *scanner) next() bool {
	i := s.to
	for i < len(s.text) && isSpace(s.text[i]) {
		i++
	}
	s.from, s.to = i, i+1
	if i == len(s.text) {
		s.to = i
		return s.want != 0 && s.fail(i, "unexpected end")
	}
	switch c := s.text[i]; c {
	case '"':
		return s.scanString()
	case ',', ':':
		return s.separator(kind(c))
	case '{', '[':
		return s.begin(kind(c))
	case '}', ']':
		return s.end(kind(c))
	case 'n':
		return s.literal(nullToken, "null")
	case 't':
		return s.literal(trueToken, "true")
	case 'f':
		return s.literal(falseToken, "false")
	default:
		return s.scanNumber()
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// fail notes what is wrong at byte i; it is always false.
func (s *scanner) fail(i int, what string) bool {
	s.err = fmt.Errorf("invalid JSON: %s at byte %d", what, i)
	return false
}

func (s *scanner) unexpected(i int) bool {
	if i >= len(s.text) {
		return s.fail(len(s.text), "unexpected end")
	}
	r, size := utf8.DecodeRune(s.text[i:])
	if r == utf8.RuneError && size == 1 {
		return s.fail(i, "invalid UTF-8")
	}
	return s.fail(i, fmt.Sprintf("unexpected %q", r))
}

// ended is called at the end of a value.
func (s *scanner) ended(k kind) bool {
	s.kind = k
	s.want = 0
	if s.depth > 0 {
		s.want = wantComma | wantEnd
	}
	return true
}

func (s *scanner) begin(k kind) bool {
	if s.want&wantValue == 0 {
		return s.unexpected(s.from)
	}
	if s.depth == s.limit {
		return s.fail(s.from, fmt.Sprintf("nested deeper than %d", s.limit))
	}
	s.kind = k
	s.inObject = k == beginObject
	bits, bit := s.bits(s.depth), uint64(1)<<(s.depth%64)
	if s.inObject {
		*bits |= bit
		s.want = wantKey | wantEnd
	} else {
		*bits &^= bit
		s.want = wantValue | wantEnd
	}
	s.depth++
	return true
}

// bits are those among which that of a depth is.
func (s *scanner) bits(depth int) *uint64 {
	if depth < 64 {
		return &s.objects
	}
	if s.deep == nil {
		s.deep = make([]uint64, deepest/64+1)
	}
	return &s.deep[depth/64]
}

func (s *scanner) end(k kind) bool {
	if s.want&wantEnd == 0 || s.inObject != (k == endObject) {
		return s.unexpected(s.from)
	}
	s.depth--
	if d := s.depth - 1; d >= 0 {
		s.inObject = *s.bits(d)>>(d%64)&1 == 1
	}
	return s.ended(k)
}

func (s *scanner) separator(k kind) bool {
	switch {
	case k == colon && s.want&wantColon != 0:
		s.want = wantValue
	case k == comma && s.want&wantComma != 0 && s.inObject:
		s.want = wantKey
	case k == comma && s.want&wantComma != 0:
		s.want = wantValue
	default:
		return s.unexpected(s.from)
	}
	s.kind = k
	return true
}

func (s *scanner) literal(k kind, word string) bool {
	if s.want&wantValue == 0 {
		return s.unexpected(s.from)
	}
	for j := 1; j < len(word); j++ {
		if i := s.from + j; i >= len(s.text) || s.text[i] != word[j] {
			return s.unexpected(i)
		}
	}
	s.to = s.from + len(word)
	return s.ended(k)
}

func (s *scanner) scanString() bool {
	if s.want&(wantKey|wantValue) == 0 {
		return s.unexpected(s.from)
	}
	i := s.from + 1
	if s.passed {
		s.to = i + closing(s.text[i:])
		return s.stringEnded()
	}
	s.plain = true
	for {
		i = skipPlain(s.text, i)
		if i == len(s.text) {
			return s.unexpected(i)
		}
		switch c := s.text[i]; {
		case c == '"':
			s.to = i + 1
			return s.stringEnded()
		case c == '\\':
			n := escapeLen(s.text[i:])
			if n == 0 {
				return s.fail(i, "invalid escape")
			}
			s.plain = false
			i += n
		case c < ' ':
			return s.unexpected(i)
		default:
			end := skipText(s.text, i)
			if !utf8.Valid(s.text[i:end]) {
				return s.fail(i+validLen(s.text[i:end]), "invalid UTF-8")
			}
			i = end
		}
	}
}

// closing is how many bytes a string of a valid text has from here on, with its quote.
func closing(text []byte) int {
	for i := 0; ; i++ {
		i += bytes.IndexByte(text[i:], '"')
		before := i
		for before > 0 && text[before-1] == '\\' {
			before--
		}
		if (i-before)%2 == 0 {
			return i + 1
		}
	}
}

// validLen is how many bytes come before the first that is no UTF-8.
func validLen(text []byte) int {
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}

func (s *scanner) stringEnded() bool {
	if s.want&wantKey == 0 {
		return s.ended(stringToken)
	}
	s.kind = keyToken
	s.want = wantColon
	return true
}

// skipPlain is the first place from i on that has no plain ASCII: a quote, an escape,
// a control character, or a byte of a longer one. It looks at eight bytes at a time.
func skipPlain(text []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote := x ^ ones*'"'
		escape := x ^ ones*'\\'
		// The lowest top bit of each term is exact: it stands in the first byte that is
		// 0 after the ^, or below a space.
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (x-ones*' ')&^x | x) & tops
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && isPlain(text[i]) {
		i++
	}
	return i
}

// skipText is skipPlain, but goes on over the bytes of longer characters, whatever
// they are.
func skipText(text []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		quote := x ^ ones*'"'
		escape := x ^ ones*'\\'
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (x-ones*' ')&^x) & tops
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && (isPlain(text[i]) || text[i] >= utf8.RuneSelf) {
		i++
	}
	return i
}

func isPlain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

// escapeLen is the length of the escape that b begins with, 0 if there is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (s *scanner) scanNumber() bool {
	if s.want&wantValue == 0 {
		return s.unexpected(s.from)
	}
	i := s.from
	if s.text[i] == '-' {
		i++
	}
	whole := i
	i = s.skipDigits(i)
	if i == whole {
		return s.unexpected(i)
	}
	if s.text[whole] == '0' && i > whole+1 {
		return s.unexpected(whole + 1)
	}
	s.point = i
	if i < len(s.text) && s.text[i] == '.' {
		fraction := i + 1
		i = s.skipDigits(fraction)
		if i == fraction {
			return s.unexpected(i)
		}
	}
	s.e = i
	if i < len(s.text) && s.text[i]|0x20 == 'e' {
		exponent := i + 1
		if exponent < len(s.text) && (s.text[exponent] == '+' || s.text[exponent] == '-') {
			exponent++
		}
		i = s.skipDigits(exponent)
		if i == exponent {
			return s.unexpected(i)
		}
	}
	s.to = i
	return s.ended(numberToken)
}

func (s *scanner) skipDigits(i int) int {
	for i < len(s.text) && isDigit(s.text[i]) {
		i++
	}
	return i
}

// number is the token, which is a number, in its parts.
func (s *scanner) number() number {
	var n number
	whole := s.from
	if s.text[whole] == '-' {
		n.negative = true
		whole++
	}
	n.whole = s.text[whole:s.point]
	if s.point < s.e {
		n.fraction = s.text[s.point+1 : s.e]
	}
	if s.e == s.to {
		return n
	}
	n.exponent = s.text[s.e+1 : s.to]
	if sign := n.exponent[0]; sign == '+' || sign == '-' {
		n.smaller = sign == '-'
		n.exponent = n.exponent[1:]
	}
	return n
}
