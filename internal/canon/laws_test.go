package canon

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// value is a JSON value: nil, bool, *big.Rat, string (in UTF-8), []value or object.
type value any

type object []struct {
	key string
	value
}

// values draws small ones, so that equal ones come often.
func values(depth int) *rapid.Generator[value] {
	return rapid.Custom(func(t *rapid.T) value {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			r := new(big.Rat).SetInt64(rapid.Int64Range(-120, 120).Draw(t, "number"))
			for range rapid.IntRange(0, 3).Draw(t, "places") {
				r.Quo(r, big.NewRat(10, 1))
			}
			return r
		case 3:
			return texts().Draw(t, "string")
		case 4:
			return rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list")
		}
		var o object
		for _, key := range rapid.SliceOfNDistinct(texts(), 0, 3, rapid.ID).Draw(t, "keys") {
			o = append(o, object{{key, values(depth-1).Draw(t, "member")}}...)
		}
		return o
	})
}

func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "b", "\n", "é", "\ufffd", "😀", `\`, `"`, "/", "\u2028", "\x00", "0"}),
		rapid.StringN(0, 3, -1),
		rapid.Map(rapid.IntRange(250, 260), func(n int) string { return strings.Repeat("x", n) }),
	)
}

// same is equality as the rules have it, step by step.
func same(a, b value) bool {
	switch a := a.(type) {
	case *big.Rat:
		b, ok := b.(*big.Rat)
		return ok && a.Cmp(b) == 0
	case []value:
		b, ok := b.([]value)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	case object:
		b, ok := b.(object)
		if !ok || len(a) != len(b) {
			return false
		}
		for _, m := range a {
			found := false
			for _, n := range b {
				found = found || m.key == n.key && same(m.value, n.value)
			}
			if !found {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case *big.Rat, []value, object:
		return false
	}
	return a == b
}

// spell draws one of the texts of a value: white space, order, escapes, digits.
func spell(t *rapid.T, v value) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\n", "\t", "\r "}).Draw(t, "space")
	return space + spellToken(t, v) + space
}

func spellToken(t *rapid.T, v value) string {
	switch v := v.(type) {
	case *big.Rat:
		return spellNumber(t, v)
	case string:
		return spellString(t, v)
	case []value:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = spell(t, item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case object:
		var parts []string
		for _, m := range rapid.Permutation(v).Draw(t, "order") {
			parts = append(parts, spellString(t, m.key)+":"+spell(t, m.value))
		}
		if len(v) > 0 && rapid.Bool().Draw(t, "twice") {
			parts = append([]string{spellString(t, v[0].key) + ":" + spell(t, values(1).Draw(t, "lost"))}, parts...)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(map[any]string{nil: "null", true: "true", false: "false"}[v])
}

func spellNumber(t *rapid.T, r *big.Rat) string {
	shift := rapid.IntRange(-25, 25).Draw(t, "shift")
	scaled := new(big.Rat).Set(r)
	for range max(shift, -shift) {
		if shift > 0 {
			scaled.Mul(scaled, big.NewRat(10, 1))
		} else {
			scaled.Quo(scaled, big.NewRat(10, 1))
		}
	}
	text := scaled.FloatString(44 + rapid.IntRange(0, 3).Draw(t, "zeros"))
	if scaled.IsInt() && rapid.Bool().Draw(t, "whole") {
		text = scaled.Num().String()
	}
	if scaled.Sign() == 0 && rapid.Bool().Draw(t, "minus") {
		text = "-" + text
	}
	if shift == 0 && rapid.Bool().Draw(t, "bare") {
		return text
	}
	sign := map[bool]string{true: rapid.SampledFrom([]string{"", "+"}).Draw(t, "plus"), false: "-"}[shift <= 0]
	return fmt.Sprintf("%s%s%s%s%d", text, rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e"), sign,
		rapid.SampledFrom([]string{"", "0", "0000000000000000000000"}).Draw(t, "zeros"), max(shift, -shift))
}

func spellString(t *rapid.T, s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r > 0xFFFF && rapid.Bool().Draw(t, "pair"):
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
		case r <= 0xFFFF && (r < ' ' || r == '"' || r == '\\' || rapid.IntRange(0, 9).Draw(t, "escape") == 0):
			fmt.Fprintf(&b, rapid.SampledFrom([]string{`\u%04x`, `\u%04X`}).Draw(t, "hex"), r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func TestEqualityIsThatOfTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := values(2).Draw(t, "a"), values(2).Draw(t, "b")
		textA, textB := spell(t, a), spell(t, b)
		require.Equal(t, same(a, b), Equal([]byte(textA), []byte(textB)), "%s and %s", textA, textB)
		require.Equal(t, same(a, b), sum(t, textA) == sum(t, textB), "%s and %s", textA, textB)
	})
}

func TestEqualityDoesNotDependOnTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		a, b := spell(t, v), spell(t, v)
		require.Equal(t, sum(t, a), sum(t, b), "%s and %s", a, b)
		require.True(t, Equal([]byte(a), []byte(b)))
		require.True(t, Equal([]byte(b), []byte(a)))
		require.True(t, Equal([]byte(a), []byte(a)))
		compact, err := Compact([]byte(a))
		require.NoError(t, err)
		require.Equal(t, sum(t, a), sum(t, string(compact)))
	})
}

// change draws a value that differs in one place.
func change(t *rapid.T, v value) value {
	switch v := v.(type) {
	case []value:
		i := rapid.IntRange(0, len(v)).Draw(t, "at")
		out := append([]value{}, v...)
		if i == len(v) {
			return append(out, nil)
		}
		out[i] = change(t, v[i])
		return out
	case object:
		if len(v) == 0 {
			return object{{"new", nil}}
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "at")
		out := append(object{}, v...)
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			out[i].value = change(t, v[i].value)
		case 1:
			out[i].key += "!!!!"
		case 2:
			return append(out[:i], out[i+1:]...)
		}
		return out
	case string:
		return rapid.SampledFrom([]string{v + "x", "x" + v}).Draw(t, "string")
	case *big.Rat:
		return new(big.Rat).Add(v, big.NewRat(1, rapid.SampledFrom([]int64{1, 1000, 1e18}).Draw(t, "less")))
	case bool:
		return !v
	}
	return []value{nil}
}

func TestAnyChangeOfAValueChangesItsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		w := change(t, v)
		a, b := spell(t, v), spell(t, w)
		require.NotEqual(t, sum(t, a), sum(t, b), "%s and %s", a, b)
	})
}

// Exponents as long as one likes against the sum that math/big makes.
func TestLongExponentsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`(0|[1-9]|9{15,25}|10{15,25}|[0-9]{1,40})`).Draw(t, "digits")
		negative := rapid.Bool().Draw(t, "negative")
		point := rapid.Int64Range(-1000, 1000).Draw(t, "point")
		want, _ := new(big.Int).SetString(digits, 10)
		if negative {
			want.Neg(want)
		}
		want.Add(want, big.NewInt(point))
		require.Equal(t, want.String(), string(appendExponent(nil, []byte(digits), negative, point)))
	})
}

// valid is what a text must be for all of this package.
func valid(raw []byte) bool { return json.Valid(raw) && utf8.Valid(raw) }

func seeds(f *testing.F) {
	for _, class := range classes {
		for _, text := range class {
			f.Add([]byte(text))
		}
	}
	for _, text := range []string{`"\ud83d\u"`, `{"a"`, "\"\xff\"", `[1,]`, `1e`, `-`, "\"12345678\n\"", "\xef\xbb\xbf1"} {
		f.Add([]byte(text))
	}
}

func FuzzSum(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		first, err := Sum(raw)
		require.Equal(t, valid(raw), err == nil, "%v", err)
		require.Equal(t, err == nil, Equal(raw, raw))
		if err != nil {
			return
		}
		list, err := Sum([]byte("[" + string(raw) + "]"))
		if err == nil {
			require.NotEqual(t, first, list)
		}
	})
}

func FuzzCompact(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := Compact(raw)
		require.Equal(t, valid(raw), err == nil, "%v", err)
		if err != nil {
			return
		}
		var want strings.Builder
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(json.RawMessage(raw)))
		require.Equal(t, strings.TrimSuffix(want.String(), "\n"), string(out))
		require.Equal(t, sum(t, string(raw)), sum(t, string(out)))
	})
}
