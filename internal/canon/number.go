package canon

import (
	"bytes"
	"strconv"
)

// number is a number of a JSON text in its parts.
type number struct {
	negative        bool
	whole, fraction []byte // the digits on both sides of the point
	exponent        []byte // its digits, without sign
	smaller         bool   // the exponent has a minus
}

// appendNumber appends the form of a number, whose body is a sign, the digits from
// the first to the last that is not 0, and the exponent with the point before the
// first of them: -120.5 is -1205e3. Zero has no body. Its cost is that of its text:
// no exponent is turned into digits.
func appendNumber(out []byte, n number) []byte {
	from := len(out)
	out = append(out, numberTag, 0)
	whole, fraction := trimLeft(n.whole), trimRight(n.fraction)
	point := len(whole)
	if len(whole) == 0 {
		digits := trimLeft(fraction)
		point = len(digits) - len(fraction)
		fraction = digits
	}
	if len(fraction) == 0 {
		whole = trimRight(whole)
	}
	if len(whole)+len(fraction) == 0 {
		return out
	}
	if n.negative {
		out = append(out, '-')
	}
	out = append(out, whole...)
	out = append(out, fraction...)
	out = append(out, 'e')
	out = appendExponent(out, n.exponent, n.smaller, int64(point))
	return seal(out, from)
}

// tailDigits of an exponent are added up as an int64; a text is never so long that
// the place of its point has more.
const (
	tailDigits = 18
	tailLimit  = 1e18
)

// appendExponent appends the decimal text of an exponent plus point.
func appendExponent(out, digits []byte, negative bool, point int64) []byte {
	digits = trimLeft(digits)
	if len(digits) <= tailDigits {
		e := smallInt(digits)
		if negative {
			e = -e
		}
		return strconv.AppendInt(out, e+point, 10)
	}
	if negative {
		out = append(out, '-')
		point = -point
	}
	return appendLongSum(out, digits, point)
}

// appendLongSum appends digits, of which there are more than tailDigits, plus n, as
// in adding by hand: the last digits first, and one carried to or borrowed from the
// rest.
func appendLongSum(out, digits []byte, n int64) []byte {
	cut := len(digits) - tailDigits
	from := len(out)
	out = append(out, '0') // for a carry
	out = append(out, digits[:cut]...)
	tail := smallInt(digits[cut:]) + n
	switch {
	case tail < 0:
		tail += tailLimit
		carry(out[from:], '0', '9', -1)
	case tail >= tailLimit:
		tail -= tailLimit
		carry(out[from:], '9', '0', +1)
	}
	out = strconv.AppendInt(out, tailLimit+tail, 10)
	out = append(out[:from+1+cut], out[from+1+cut+1:]...) // without the 1 of tailLimit
	significant := trimLeft(out[from:])
	k := copy(out[from:], significant)
	return out[:from+k]
}

// carry adds one, up or down, to a decimal text: full digits before it wrap around.
func carry(digits []byte, full, empty byte, one int) {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] != full {
			digits[i] = byte(int(digits[i]) + one)
			return
		}
		digits[i] = empty
	}
}

// smallInt is what at most tailDigits digits write.
func smallInt(digits []byte) int64 {
	var n int64
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	return n
}

func trimLeft(digits []byte) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

func trimRight(digits []byte) []byte { return bytes.TrimRight(digits, "0") }
