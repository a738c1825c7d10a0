// Package canon tells whether two JSON texts are the same value, and makes JSON
// texts of Go values.
//
// Values are equal as in these rules: the members of an object have no order, and
// of two with one key the later counts; the items of a list have an order; null is
// a value; strings are equal code point by code point, and half of a surrogate pair
// is a code point of its own; numbers are equal by value, with every digit.
package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
)

// Digest identifies a JSON value: two texts have the same digest if and only if their
// values are equal.
type Digest [sha256.Size]byte

// Sum is the digest of a JSON text. It is an error when raw is not valid JSON or not
// valid UTF-8, or is nested deeper than 9,900. It takes time linear in the text,
// but for the sorting of keys, and no memory from the heap when the text is short.
func Sum(raw []byte) (Digest, error) {
	var room [512]byte
	form, err := appendForm(room[:0], raw)
	if err != nil {
		return Digest{}, err
	}
	return sha256.Sum256(form), nil
}

// Equal reports whether a and b both are valid, as Sum has it, and equal as values.
func Equal(a, b []byte) bool {
	first, err := Sum(a)
	if err != nil {
		return false
	}
	if bytes.Equal(a, b) {
		return true
	}
	second, err := Sum(b)
	return err == nil && first == second
}

// Text is a short form of the digest, of 144 bits, for journals.
func (d Digest) Text() string { return base64.RawURLEncoding.EncodeToString(d[:18]) }
