package agentgraph_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON values are kept here as encoding/json gives them with UseNumber: nil, bool,
// string, json.Number, []any and map[string]any. Nothing in this file uses the
// library, whose notion of equality it is to check.

func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// encodeJSON is for values that came out of decodeJSON, or could have.
func encodeJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func cloneJSON(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = cloneJSON(e)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, e := range v {
			object[key] = cloneJSON(e)
		}
		return object
	}
	return v
}

func equalJSON(a, b any) bool { return firstDifference("", a, b) == "" }

// firstDifference tells where got is not want, as "path: want this, got that", or
// nothing when they are equal: numbers by value with every digit, strings code
// point by code point, lists in order, objects without, null is not absence.
func firstDifference(path string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return differentObjects(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return differentLists(path, w, g)
		}
	case json.Number:
		if g, ok := got.(json.Number); ok && parseDecimal(w).compare(parseDecimal(g)) == 0 {
			return ""
		}
	default: // nil, a bool or a string
		if kind := fmt.Sprintf("%T", got); kind == fmt.Sprintf("%T", want) && got == want {
			return ""
		}
	}
	return fmt.Sprintf("%s: want %s, got %s", path, brief(want), brief(got))
}

func differentObjects(path string, want, got map[string]any) string {
	both := maps.Clone(want)
	maps.Copy(both, got)
	for _, key := range slices.Sorted(maps.Keys(both)) {
		below := path + "." + key
		w, wanted := want[key]
		g, given := got[key]
		switch {
		case !given:
			return fmt.Sprintf("%s: want %s, got nothing", below, brief(w))
		case !wanted:
			return fmt.Sprintf("%s: want nothing, got %s", below, brief(g))
		}
		if d := firstDifference(below, w, g); d != "" {
			return d
		}
	}
	return ""
}

func differentLists(path string, want, got []any) string {
	for i := range max(len(want), len(got)) {
		below := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(got):
			return fmt.Sprintf("%s: want %s, got the end of the list", below, brief(want[i]))
		case i >= len(want):
			return fmt.Sprintf("%s: want the end of the list, got %s", below, brief(got[i]))
		}
		if d := firstDifference(below, want[i], got[i]); d != "" {
			return d
		}
	}
	return ""
}

// brief is a value on one line that is not too long to read.
func brief(v any) string {
	const most = 300
	text := string(encodeJSON(v))
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// decimal is the value of a number: 0.DIGITS times ten to the exponent, where the
// digits neither begin nor end with a zero. Zero has none.
type decimal struct {
	sign     int
	digits   string
	exponent *big.Int
}

func parseDecimal(n json.Number) decimal {
	unsigned, negative := strings.CutPrefix(strings.ToLower(string(n)), "-")
	mantissa, power, _ := strings.Cut(unsigned, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return decimal{exponent: new(big.Int)}
	}
	exponent := big.NewInt(int64(len(digits) - len(fraction)))
	if shift, ok := new(big.Int).SetString(power, 10); ok {
		exponent.Add(exponent, shift)
	}
	sign := 1
	if negative {
		sign = -1
	}
	return decimal{sign, strings.TrimRight(digits, "0"), exponent}
}

func (d decimal) compare(e decimal) int {
	if d.sign != e.sign {
		return cmp.Compare(d.sign, e.sign)
	}
	return d.sign * cmp.Or(d.exponent.Cmp(e.exponent), strings.Compare(d.digits, e.digits))
}

func TestDecimal(t *testing.T) {
	inOrder := [][]json.Number{ // each line one value
		{"-1e99999999999999999999", "-10e99999999999999999998"},
		{"-2", "-2.0", "-0.2e1"},
		{"-1.5", "-15e-1"},
		{"-1e-400"},
		{"0", "-0", "0.0", "-0.0e7", "0e-99999999999999999999"},
		{"1e-400", "0.1E-399"},
		{"0.1", "1e-1", "0.10", "100e-3"},
		{"0.3"},
		{"0.30000000000000004"},
		{"1", "1.0", "10e-1", "1e0", "0.01e+2"},
		{"10", "1e1", "1.0E+1"},
		{"99.99"},
		{"100", "1e2"},
		{"9007199254740992", "9007199254740992.0"},
		{"9007199254740993"},
		{"123456789012345678901234567890"},
		{"123456789012345678901234567891"},
		{"1e400", "10e399"},
		{"1e401"},
		{"1e99999999999999999999"},
	}
	for i, line := range inOrder {
		for j, other := range inOrder {
			for _, a := range line {
				for _, b := range other {
					require.Equal(t, cmp.Compare(i, j), parseDecimal(a).compare(parseDecimal(b)), "%s and %s", a, b)
				}
			}
		}
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ want, got, difference string }{
		{`{"a": [1, {"b": null}], "c": "x"}`, `{"c": "\u0078", "a": [1.0, {"b": null}]}`, ""},
		{`{"a": 1}`, `{"a": 1, "b": 2}`, `steps.b: want nothing, got 2`},
		{`{"a": 1, "b": null}`, `{"a": 1}`, `steps.b: want null, got nothing`},
		{`{"a": [1, 2]}`, `{"a": [2, 1]}`, `steps.a[0]: want 1, got 2`},
		{`[1, 2]`, `[1]`, `steps[1]: want 2, got the end of the list`},
		{`[1]`, `[1, [3]]`, `steps[1]: want the end of the list, got [3]`},
		{`[{"a": [true]}]`, `[{"a": [false]}]`, `steps[0].a[0]: want true, got false`},
		{`"\u00e9"`, `"e\u0301"`, "steps: want \"\u00e9\", got \"e\u0301\""},
		{`1`, `"1"`, `steps: want 1, got "1"`},
		{`"1"`, `1`, `steps: want "1", got 1`},
		{`null`, `false`, `steps: want null, got false`},
		{`null`, `{}`, `steps: want null, got {}`},
		{`[]`, `{}`, `steps: want [], got {}`},
		{`{}`, `null`, `steps: want {}, got null`},
	} {
		want, err := decodeJSON([]byte(c.want))
		require.NoError(t, err)
		got, err := decodeJSON([]byte(c.got))
		require.NoError(t, err)
		require.Equal(t, c.difference, firstDifference("steps", want, got))
		require.Empty(t, firstDifference("", want, cloneJSON(want)))
	}
}
