package canon

import (
	"bytes"
	"encoding/json"
)

// Compact is a copy of a JSON text without white space between its tokens; numbers
// and strings keep their text. Its errors are those of Sum, but it goes as deep as
// encoding/json: what values are put into is deeper than they are.
func Compact(raw []byte) (json.RawMessage, error) {
	out := make([]byte, 0, len(raw))
	s := newScanner(raw)
	s.limit = deepest
	for s.next() {
		out = append(out, raw[s.from:s.to]...)
	}
	if s.err != nil {
		return nil, s.err
	}
	if len(out) < len(raw)/2 {
		out = bytes.Clone(out) // the copy may live long: give back the room of the white space
	}
	return out, nil
}

// check is the error that Sum and Compact have for raw.
func check(raw []byte) error {
	s := newScanner(raw)
	for s.next() {
	}
	return s.err
}
