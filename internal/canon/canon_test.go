package canon

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sum is the digest of a text that must be valid.
func sum(t require.TestingT, text string) Digest {
	d, err := Sum([]byte(text))
	require.NoError(t, err, text)
	return d
}

// classes lists values, each in all the texts of its line. Texts of different lines
// are different values.
var classes = [][]string{
	{`null`, ` null `, "\n\tnull\r\n"},
	{`true`}, {`false`},
	{`0`, `-0`, `0.0`, `-0.0`, `0e5`, `0E-99999999999999999999999`, `-0.000e1`, `0.00e+00`},
	{`1`, `1.0`, `10e-1`, `1e0`, `1E+0`, `0.1e1`, `0.001e3`, `1e-0`, `1e000000000000000000000000`, `100e-2`},
	{`-1`, `-1.0`, `-10e-1`}, {`10`, `1e1`, `10.0`}, {`0.1`, `1e-1`},
	{`9007199254740993`, `9007199254740993.0`}, {`9007199254740992.0`, `9007199254740992`},
	{`1e400`, `10e399`, `0.1e401`, `1E+0400`}, {`1e401`}, {`1e-400`, `0.1e-399`},
	{`1e99999999999999999999999`, `10e99999999999999999999998`, `0.1e100000000000000000000000`},
	{`1e-99999999999999999999999`, `0.1e-99999999999999999999998`, `10e-100000000000000000000000`},
	{`1e1000000000000000000`, `0.01e1000000000000000002`, `10e999999999999999999`, `100e999999999999999998`},
	{`1e999999999999999999`, `10e999999999999999998`, `0.1e1000000000000000000`, `0.1e01000000000000000000`},
	{`1e-1000000000000000000`, `10e-1000000000000000001`, `0.1e-999999999999999999`},
	{`1e-999999999999999999`, `10e-1000000000000000000`},
	{`"1"`}, {`"0"`}, {`"null"`}, {`""`}, {`[]`, ` [ ] `}, {`{}`, `{ }`}, {`[[]]`}, {`[{}]`}, {`[null]`}, {`[[],[]]`}, {`[[[]]]`},
	{`"é"`, `"\u00e9"`, `"\u00E9"`}, {`"e\u0301"`, "\"e\u0301\""},
	{`"\ud83d\ude00"`, `"😀"`, `"\uD83D\uDE00"`}, {`"\ude00\ud83d"`}, {`"\ud83d"`}, {`"\ude00"`}, {`"\ud83d\ud83d\ude00"`, `"\ud83d😀"`},
	{`"\ufffd"`, "\"\ufffd\""}, {`"\ud800"`, `"\uD800"`}, {`"\udfff"`}, {`"\ud800x"`}, {`"\ud800\n"`, `"\ud800\u000a"`},
	{`"\/\b\f\n\r\t\"\\"`, `"\u002f\u0008\u000c\u000a\u000d\u0009\u0022\u005c"`}, {`"/bfnrt"`}, {`"\\ud800"`}, {`"\u0000"`},
	{`[1,2]`, ` [ 1 , 2 ] `, `[1.0,20e-1]`}, {`[2,1]`}, {`[12]`}, {`["1",2]`}, {`[1,[2]]`}, {`[[1],2]`}, {`[[1,2]]`},
	{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"\u0061":1.0,"b":2}`, `{"a":3,"b":2,"a":1}`, `{"b":{"x":0},"b":2,"a":[],"a":1}`},
	{`{"a":2,"b":1}`}, {`{"a":1}`}, {`{"a":null}`}, {`{"a":1,"b":null}`}, {`{"ab":1}`}, {`{"a":{"b":1}}`}, {`["a",1]`}, {`{"":1}`},
	{`{"\ud800":1}`, `{"\uD800":1}`}, {`{"\ufffd":1}`}, {`{"\ufffd":1,"\ud800":1}`, `{"\ud800":1,"\ufffd":2,"\ufffd":1}`},
}

func TestTextsOfOneValueAreEqualAndOthersNot(t *testing.T) {
	for i, class := range classes {
		for _, a := range class {
			for j, other := range classes {
				for _, b := range other {
					require.Equal(t, i == j, sum(t, a) == sum(t, b), "%s and %s", a, b)
					require.Equal(t, i == j, Equal([]byte(a), []byte(b)), "%s and %s", a, b)
				}
			}
		}
	}
}

func TestLongBodiesAreEqualAsShortOnesAre(t *testing.T) {
	for _, n := range []int{253, 254, 255, 256, 257, 1000} {
		x := strings.Repeat("x", n)
		require.Equal(t, sum(t, `"`+x+`"`), sum(t, `"\u0078`+x[1:]+`"`))
		require.NotEqual(t, sum(t, `"`+x+`"`), sum(t, `"`+x[1:]+`y"`))
		require.NotEqual(t, sum(t, `"`+x+`"`), sum(t, `"`+x+`x"`))
		require.Equal(t, sum(t, `{"`+x+`":1,"a":2}`), sum(t, `{"a":2,"\u0078`+x[1:]+`":1}`))
		require.Equal(t, sum(t, `{"`+x+`":1}`), sum(t, `{"`+x+`":2,"`+x+`":1}`))
		ones := strings.Repeat("1", n)
		require.Equal(t, sum(t, ones), sum(t, ones+"0e-1"))
		require.NotEqual(t, sum(t, ones), sum(t, `"`+ones+`"`))
		require.NotEqual(t, sum(t, ones), sum(t, "-"+ones))
		require.NotEqual(t, sum(t, ones), sum(t, ones+"1"))
	}
}
