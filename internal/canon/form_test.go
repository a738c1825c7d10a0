package canon

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Stored digests outlive a process: no form may ever change.
func TestForms(t *testing.T) {
	long := strings.Repeat("x", maxBody+1)
	hash := func(body string) string {
		sum := sha256.Sum256([]byte(body))
		return string(sum[:])
	}
	for text, want := range map[string]string{
		`null`:       "n\x00",
		`true`:       "t\x00",
		`false`:      "f\x00",
		`-0.0e7`:     "0\x00",
		`-120.50`:    "0\x07-1205e3",
		`0.0012`:     "0\x0512e-2",
		`1E+0400`:    "0\x051e401",
		`"a\u00e9"`:  "\"\x03a\xc3\xa9",
		`"\ud800"`:   "\"\x03\xed\xa0\x80",
		`[[],"",{}]`: "[\x06[\x00\"\x00{\x00",
		`{"b":1,"a":true,"b":null,"aaaaaaaaaa":[],"aaaaaaaaa":0}`: "{\x25" +
			"\"\x01at\x00" + "\"\x09aaaaaaaaa0\x00" + "\"\x0aaaaaaaaaaa[\x00" + "\"\x01bn\x00",
		`"` + long[1:] + `"`:         "\"\xff" + long[1:],
		`"` + long + `"`:             "\xa2\x20" + hash(long),
		`"\u0078` + long[1:] + `"`:   "\xa2\x20" + hash(long),
		`["` + long[1:] + `",null]`:  "\xdb\x20" + hash("\"\xff"+long[1:]+"n\x00"),
		`{"` + long + `":-1}`:        "{\x28\xa2\x20" + hash(long) + "0\x04-1e1",
		strings.Repeat("1", maxBody): "\xb0\x20" + hash(strings.Repeat("1", maxBody)+"e255"),
	} {
		form, err := appendForm(nil, []byte(text))
		require.NoError(t, err)
		require.Equal(t, want, string(form), text)
		require.Equal(t, Digest(sha256.Sum256(form)), sum(t, text))
	}
}
