package canon

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNoJSONIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "invalid JSON: unexpected end at byte 0",
		`  `:                         "invalid JSON: unexpected end at byte 2",
		`nul`:                        "invalid JSON: unexpected end at byte 3",
		`nule`:                       "invalid JSON: unexpected 'e' at byte 3",
		`1 2`:                        "invalid JSON: unexpected '2' at byte 2",
		`[1,]`:                       "invalid JSON: unexpected ']' at byte 3",
		`[1}`:                        "invalid JSON: unexpected '}' at byte 2",
		`{"a":1,}`:                   "invalid JSON: unexpected '}' at byte 7",
		`{"a"}`:                      "invalid JSON: unexpected '}' at byte 4",
		`{1:2}`:                      "invalid JSON: unexpected '1' at byte 1",
		`{"a":1]`:                    "invalid JSON: unexpected ']' at byte 6",
		`]`:                          "invalid JSON: unexpected ']' at byte 0",
		`[`:                          "invalid JSON: unexpected end at byte 1",
		`01`:                         "invalid JSON: unexpected '1' at byte 1",
		`-`:                          "invalid JSON: unexpected end at byte 1",
		`+1`:                         "invalid JSON: unexpected '+' at byte 0",
		`1.`:                         "invalid JSON: unexpected end at byte 2",
		`.5`:                         "invalid JSON: unexpected '.' at byte 0",
		`1e`:                         "invalid JSON: unexpected end at byte 2",
		`1e+x`:                       "invalid JSON: unexpected 'x' at byte 3",
		`"a`:                         "invalid JSON: unexpected end at byte 2",
		"\"a\nb\"":                   "invalid JSON: unexpected '\\n' at byte 2",
		"\"text\nand more of it\"":   "invalid JSON: unexpected '\\n' at byte 5",
		"\"some text\x1f and more\"": "invalid JSON: unexpected '\\x1f' at byte 10",
		`"some text\x and more"`:     "invalid JSON: invalid escape at byte 10",
		`"\x"`:                       "invalid JSON: invalid escape at byte 1",
		`"\u12g4"`:                   "invalid JSON: invalid escape at byte 1",
		`"\u123`:                     "invalid JSON: invalid escape at byte 1",
		"\"a\xff\"":                  "invalid JSON: invalid UTF-8 at byte 2",
		"\"\xed\xa0\x80\"":           "invalid JSON: invalid UTF-8 at byte 1", // a surrogate as if UTF-8 had it
		"\"\xc0\x80\"":               "invalid JSON: invalid UTF-8 at byte 1",
		"\xff":                       "invalid JSON: invalid UTF-8 at byte 0",
	} {
		_, err := Sum([]byte(text))
		require.EqualError(t, err, want)
		_, err = Compact([]byte(text))
		require.EqualError(t, err, want)
		require.False(t, Equal([]byte(text), []byte(text)))
		require.False(t, Equal([]byte(`1`), []byte(text)))
	}
	_, err := Sum([]byte(strings.Repeat("[", maxDepth+1)))
	require.EqualError(t, err, "invalid JSON: nested deeper than 9900 at byte 9900")
	_, err = Compact([]byte(strings.Repeat("[", deepest+1)))
	require.EqualError(t, err, "invalid JSON: nested deeper than 10000 at byte 10000")
	_, err = Compact([]byte(strings.Repeat("[", deepest) + strings.Repeat("]", deepest)))
	require.NoError(t, err)
}

func TestDeepNestingIsRead(t *testing.T) {
	deep := func(n int, open, leaf, end string) string {
		return strings.Repeat(open, n) + leaf + strings.Repeat(end, n)
	}
	for _, n := range []int{1, 63, 64, 65, 1000, maxDepth} {
		require.Equal(t, sum(t, deep(n, `[`, `1`, `]`)), sum(t, deep(n, `[ `, `1.0`, ` ]`)))
		require.NotEqual(t, sum(t, deep(n, `[`, `1`, `]`)), sum(t, deep(n, `[`, `2`, `]`)))
		require.NotEqual(t, sum(t, deep(n, `[`, `1`, `]`)), sum(t, deep(n-1, `[`, `1`, `]`)))
		require.Equal(t, sum(t, deep(n, `{"a":`, `1`, `,"b":2}`)), sum(t, deep(n, `{"b":2,"a":`, `1`, `}`)))
	}
	_, err := Sum([]byte(deep(maxDepth+1, `[`, `1`, `]`)))
	require.ErrorContains(t, err, "nested deeper than 9900")
}

func TestADeepObjectCostsNoMoreThanItsText(t *testing.T) {
	// Each level is out of order and holds a long string below: a quadratic
	// algorithm would move 10 GB.
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	text := strings.Repeat(`{"b":0,"a":`, maxDepth) + long + strings.Repeat(`}`, maxDepth)
	out, err := appendForm(nil, []byte(text))
	require.NoError(t, err)
	require.Less(t, cap(out), 8<<20)
}

func TestManyKeys(t *testing.T) {
	const n = 100_000
	var up, down strings.Builder
	for i := range n {
		fmt.Fprintf(&up, `,"%d":%d`, i, i)
		fmt.Fprintf(&down, `,"%d":%d`, n-1-i, n-1-i)
	}
	first := sum(t, "{"+up.String()[1:]+"}")
	require.Equal(t, first, sum(t, "{"+down.String()[1:]+"}"))
	require.Equal(t, first, sum(t, `{"7":8`+up.String()+"}"))
	require.NotEqual(t, first, sum(t, "{"+up.String()[1:]+`,"7":8}`))
}

func TestLongTexts(t *testing.T) {
	const n = 64 << 20
	raw := []byte(`"` + strings.Repeat("x", n) + `"`)
	first := sum(t, string(raw))
	raw[n] = 'y'
	require.NotEqual(t, first, sum(t, string(raw)))
	digits := strings.Repeat("7", 1<<20)
	require.Equal(t, sum(t, "1e"+digits), sum(t, "10e"+digits[1:]+"6")) // 777 is 776 and one
	require.NotEqual(t, sum(t, "1e"+digits), sum(t, "1e-"+digits))
	nines := strings.Repeat("9", 1<<20)
	require.Equal(t, sum(t, "10e"+nines), sum(t, "1e1"+strings.Repeat("0", 1<<20)))
}

func TestSumOfAShortTextNeedsNoHeap(t *testing.T) {
	raw := []byte(`{"title":"the state of things","draft":3,"score":0.75,"tags":["a","b"],"done":false}`)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = Sum(raw) }))
}

func TestCompact(t *testing.T) {
	for _, c := range [][2]string{
		{` { "a" : [ 1.0 , -0.0e+5 , "x \u0041\/<" ] , "a" : { } } `, `{"a":[1.0,-0.0e+5,"x \u0041\/<"],"a":{}}`},
		{"\t[\n]\r", `[]`},
		{strings.Repeat(" ", 100) + "null", "null"},
	} {
		raw := []byte(c[0])
		out, err := Compact(raw)
		require.NoError(t, err)
		require.Equal(t, c[1], string(out))
		require.Equal(t, c[0], string(raw))
		require.LessOrEqual(t, cap(out), 2*len(out)+16)
		out[0] = 'x'
		require.Equal(t, c[0], string(raw), "the copy shares nothing")
	}
}
