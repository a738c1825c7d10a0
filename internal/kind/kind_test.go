package kind

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type (
	flag    bool
	name    string
	loop    *loop
	row     struct{ A int }
	picky   struct{ row }
	texty   struct{ row }
	holds   struct{ picky }
	octets  []octet
	octet   byte
	weekday int
)

func (*picky) UnmarshalJSON([]byte) error { return nil }

func (*texty) UnmarshalText([]byte) error { return nil }

func (*weekday) UnmarshalText([]byte) error { return nil }

// samples are values of each kind, several where a type may take one and not another.
var samples = map[string][]string{
	Boolean: {"true", "false", " \n\tfalse"},
	Number:  {"0", "-1", "1.5", "1e400"},
	String:  {`""`, `"x"`, `"12"`, `"true"`, `"AQID"`, `"[]"`, `"2026-01-02T15:04:05Z"`, `"::1"`},
	List:    {"[]", "[1]", `["x"]`, "[{}]"},
	Object:  {"{}", `{"A":1}`},
}

func TestOf(t *testing.T) {
	for want, values := range samples {
		for _, v := range values {
			require.Equal(t, want, Of(json.RawMessage(v)), v)
		}
	}
	for _, none := range []string{"null", " null", "", " "} {
		require.Empty(t, Of(json.RawMessage(none)))
	}
}

func TestOther(t *testing.T) {
	for wanted := range samples {
		for is, values := range samples {
			require.Equal(t, wanted != is, Other(wanted, json.RawMessage(values[0])), "%s for %s", is, wanted)
		}
		require.False(t, Other(wanted, json.RawMessage("null")))
		require.False(t, Other("", json.RawMessage(samples[wanted][0])), "anything may do")
		require.False(t, Other("tensor", json.RawMessage(samples[wanted][0])), "of a later version")
		require.Equal(t, wanted != String, NoText(wanted))
		require.NotEmpty(t, Named(wanted))
	}
	for _, other := range []string{"", "tensor"} {
		require.False(t, NoText(other))
		require.Empty(t, Named(other))
	}
}

// TestForType: what is wanted is what encoding/json can read into the type, and what
// is plainly something else it cannot.
func TestForType(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[bool](), Boolean}, {reflect.TypeFor[flag](), Boolean}, {reflect.TypeFor[*bool](), Boolean}, {reflect.TypeFor[**flag](), Boolean},
		{reflect.TypeFor[int](), Number}, {reflect.TypeFor[int8](), Number}, {reflect.TypeFor[int16](), Number}, {reflect.TypeFor[int32](), Number}, {reflect.TypeFor[int64](), Number},
		{reflect.TypeFor[uint](), Number}, {reflect.TypeFor[uint8](), Number}, {reflect.TypeFor[uint16](), Number}, {reflect.TypeFor[uint32](), Number}, {reflect.TypeFor[uint64](), Number},
		{reflect.TypeFor[uintptr](), Number}, {reflect.TypeFor[float32](), Number}, {reflect.TypeFor[float64](), Number}, {reflect.TypeFor[time.Duration](), Number},
		{reflect.TypeFor[json.Number](), ""}, {reflect.TypeFor[*json.Number](), ""},
		{reflect.TypeFor[string](), String}, {reflect.TypeFor[name](), String}, {reflect.TypeFor[*string](), String},
		{reflect.TypeFor[netip.Addr](), String}, {reflect.TypeFor[texty](), String}, {reflect.TypeFor[*texty](), String}, {reflect.TypeFor[weekday](), String},
		{reflect.TypeFor[[]int](), List}, {reflect.TypeFor[[2]string](), List}, {reflect.TypeFor[[2]byte](), List}, {reflect.TypeFor[[]any](), List}, {reflect.TypeFor[[]json.RawMessage](), List},
		{reflect.TypeFor[row](), Object}, {reflect.TypeFor[*row](), Object}, {reflect.TypeFor[map[string]any](), Object}, {reflect.TypeFor[url.URL](), Object},
		{reflect.TypeFor[any](), ""}, {reflect.TypeFor[error](), ""}, {reflect.TypeFor[json.RawMessage](), ""}, {reflect.TypeFor[*json.RawMessage](), ""},
		{reflect.TypeFor[[]byte](), ""}, {reflect.TypeFor[octets](), ""}, {reflect.TypeFor[time.Time](), ""}, {reflect.TypeFor[big.Int](), ""},
		{reflect.TypeFor[picky](), ""}, {reflect.TypeFor[*picky](), ""}, {reflect.TypeFor[holds](), ""},
		{reflect.TypeFor[chan int](), ""}, {reflect.TypeFor[func()](), ""}, {reflect.TypeFor[complex128](), ""}, {reflect.TypeFor[loop](), ""},
	} {
		require.Equal(t, c.want, ForType(c.of), "%v", c.of)
		if c.want == "" {
			continue
		}
		require.NoError(t, json.Unmarshal([]byte("null"), reflect.New(c.of).Interface()), "%v", c.of)
		taken := 0
		for is, values := range samples {
			for _, v := range values {
				err := json.Unmarshal([]byte(v), reflect.New(c.of).Interface())
				if is == c.want && err == nil {
					taken++
				}
				if is != c.want {
					require.Error(t, err, "%v is said to want %s, and takes %s", c.of, c.want, v)
				}
			}
		}
		require.Positive(t, taken, "%v is said to want %s, and takes none", c.of, c.want)
	}
}
