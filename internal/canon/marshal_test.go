package canon

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const bad = "a\xffb"

// escape is legitimate where a json.Marshaler wrote it.
var escape = json.RawMessage(`"\ufffd"`)

type textOf string

func (t textOf) MarshalText() ([]byte, error) { return []byte(t), nil }

// byAddress has its method by its address only.
type byAddress struct{ Hidden string }

func (b *byAddress) MarshalText() ([]byte, error) { return []byte(b.Hidden), nil }

type jsonByAddress struct{ Hidden string }

func (*jsonByAddress) MarshalJSON() ([]byte, error) { return []byte(`"\ufffd"`), nil }

type letter byte

func (l letter) MarshalText() ([]byte, error) { return []byte{byte(l)}, nil }

type badZero int

func (badZero) MarshalText() ([]byte, error) { return []byte(bad), nil }

type always struct{ S string }

func (always) IsZero() bool { return true }

type alwaysByAddress struct{ S string }

func (*alwaysByAddress) IsZero() bool { return true }

type bothMethods string

func (bothMethods) MarshalJSON() ([]byte, error)   { return []byte(`"\ufffd"`), nil }
func (b bothMethods) MarshalText() ([]byte, error) { return []byte(b), nil }

type Deep struct{ S, Twice string }
type Left struct{ Deep }
type Right struct{ Deep }
type named struct {
	Tagged string `json:"S"`
}

// plainJSON is what encoding/json writes without escapes for HTML.
func plainJSON(t require.TestingT, v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(t, e.Encode(v))
	return strings.TrimSuffix(b.String(), "\n")
}

func TestMarshalWritesWhatEncodingJSONDoes(t *testing.T) {
	var nilRaw json.RawMessage
	for _, v := range []any{
		nil, true, false, 0, -7, math.MaxInt, int8(-3), uint64(math.MaxUint64), 1.0, 0.1, 1e21, 1e-7, math.Copysign(0, -1), float32(0.1),
		"", "plain", "a<b>&c", "é", "\u2028", "\ufffd", "\x7f\x00\n\t\"\\", json.Number("1.50"), json.Number(""),
		json.RawMessage(` { "b" : 1.0 , "a" : "\ufffd<" } `), nilRaw, &nilRaw, []byte("x\xff"), [2]byte{1, 0xff},
		map[string]any{"b": []any{1, "<", nil}, "a": json.RawMessage(` [ 1 ] `)}, time.Unix(0, 0).UTC(), &struct{ A, b int }{A: 1, b: 2},
		textOf("t"), map[textOf]int{"k": 1}, map[int]string{2: "x", 10: "y"},
	} {
		out, err := Marshal(v)
		require.NoError(t, err, "%#v", v)
		require.Equal(t, plainJSON(t, v), string(out))
	}
}

// What is written with an escape of U+FFFD that somebody wrote himself, beside strings
// that are no UTF-8 and are not written.
func TestMarshalLeavesEscapesThatWereThere(t *testing.T) {
	for _, v := range []any{
		escape, &escape, []any{escape, "\ufffd"}, map[string]any{`\ufffd`: `\ufffd`}, bothMethods(bad), map[string]any{"a": bothMethods(bad)},
		struct {
			E      json.RawMessage
			hidden string
			Left   string `json:"-"`
			B      []byte
			P      *string
			I      any
			T      encoding.TextMarshaler
		}{E: escape, hidden: bad, Left: bad, B: []byte(bad)},
		&struct{ J jsonByAddress }{jsonByAddress{bad}},
		[]jsonByAddress{{bad}},
		[]any{escape, map[*byAddress]int{nil: 1}, (*byAddress)(nil)},
		struct {
			E json.RawMessage
			Z badZero `json:",omitempty"`
		}{E: escape},
		struct {
			E json.RawMessage
			Z always          `json:",omitzero"`
			A alwaysByAddress `json:",omitzero"`
			P *always         `json:",omitzero"`
		}{escape, always{bad}, alwaysByAddress{bad}, &always{bad}},
		struct {
			E json.RawMessage
			S string `json:"S"`
			Deep
		}{escape, "x", Deep{S: bad}},
		struct {
			E json.RawMessage
			Deep
			named
		}{escape, Deep{S: bad}, named{}},
		struct {
			E json.RawMessage
			Left
			Right
		}{escape, Left{Deep{S: bad}}, Right{Deep{Twice: bad}}},
		struct {
			E json.RawMessage
			*Deep
		}{E: escape},
	} {
		require.Contains(t, plainJSON(t, v), `\ufffd`)
		out, err := Marshal(v)
		require.NoError(t, err, "%#v", v)
		require.Equal(t, plainJSON(t, v), string(out))
	}
}

func TestMarshalRefusesWhatIsNoUTF8(t *testing.T) {
	s := bad
	type self struct {
		Next *self
		S    string
	}
	for _, v := range []any{
		bad, &s, []string{"x", bad}, [1]string{bad}, []any{map[string]any{"a": []any{bad}}}, map[string]int{bad: 1}, textOf(bad), map[textOf]int{bad: 1},
		map[*byAddress]int{{bad}: 1}, &byAddress{bad}, []byAddress{{bad}}, &struct{ B byAddress }{byAddress{bad}}, struct{ B byAddress }{byAddress{bad}},
		[]letter{'a', 0xff}, []bothText{{bad}}, struct{ T encoding.TextMarshaler }{bothMethods(bad)}, &self{Next: &self{S: bad}},
		struct {
			S string `json:",string"`
		}{bad},
		struct {
			S string `json:"x,omitempty"`
		}{bad},
		struct {
			A always
			Z string `json:",omitzero"`
		}{Z: bad},
		struct {
			S string
			Deep
		}{S: bad},
		struct {
			S    string
			Deep `json:"d"`
		}{Deep: Deep{S: bad}},
		struct{ Deep }{Deep{S: bad}}, struct{ *Deep }{&Deep{S: bad}},
		struct {
			E json.RawMessage
			named
		}{escape, named{bad}},
		json.RawMessage(`"` + bad + `"`), []any{json.RawMessage(`"` + bad + `"`)}, []json.RawMessage{escape, json.RawMessage(`"` + bad + `"`)},
	} {
		_, err := Marshal(v)
		require.ErrorContains(t, err, "invalid UTF-8", "%#v", v)
	}
}

type bothText struct{ s string }

func (b bothText) MarshalText() ([]byte, error) { return []byte(b.s), nil }

func TestMarshalWrapsWhatEncodingJSONRefuses(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	var value *json.UnsupportedValueError
	for _, v := range []any{math.NaN(), math.Inf(1), []float64{math.Inf(-1)}, cycle} {
		_, err := Marshal(v)
		require.ErrorAs(t, err, &value)
	}
	var typ *json.UnsupportedTypeError
	_, err := Marshal(make(chan int))
	require.ErrorAs(t, err, &typ)
	require.EqualError(t, err, "cannot be written as JSON: json: unsupported type: chan int")
	_, err = Marshal(json.Number("1x"))
	require.ErrorContains(t, err, "invalid number literal")
	_, err = Marshal(json.RawMessage{})
	require.EqualError(t, err, "invalid JSON: unexpected end at byte 0")
}

func TestMarshalRefusesWhatCannotBeRead(t *testing.T) {
	var v any
	for range maxDepth {
		v = []any{v}
	}
	_, err := Marshal(v)
	require.NoError(t, err)
	_, err = Marshal([]any{v})
	require.ErrorContains(t, err, "nested deeper than 9900")
	_, err = Marshal([][]any{{v}})
	require.ErrorContains(t, err, "nested deeper than 9900")
	var list, members any
	for range 2_000_000 { // encoding/json would end the process
		list = []any{list}
		members = map[string]any{"a": members}
	}
	for _, v := range []any{list, members} {
		_, err = Marshal(v)
		require.ErrorContains(t, err, "nested deeper than 9900")
	}
}

func TestMarshalGivesACopy(t *testing.T) {
	raw := json.RawMessage(`"abc"`)
	out, err := Marshal(raw)
	require.NoError(t, err)
	out[1] = 'x'
	require.Equal(t, `"abc"`, string(raw))
}

// Strings of any bytes, in any place: either the error or the very same strings again.
func TestMarshalLosesNoByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			s = texts().Draw(t, "string")
		}
		for _, v := range []any{s, []any{s}, map[string]any{"k": s}, map[string]any{s: escape}, struct {
			S fmt.Stringer
			X any
		}{X: []string{s}}} {
			out, err := Marshal(v)
			require.Equal(t, utf8.ValidString(s), err == nil, "%v", err)
			if err == nil {
				require.Equal(t, plainJSON(t, v), string(out))
			}
		}
	})
}

// TestMarshalRefusesDeepTypes: a value of any type that may hold itself is an error
// when it is so deep that encoding/json would end the process.
func TestMarshalRefusesDeepTypes(t *testing.T) {
	const n = 2_000_000
	var list *linked
	var lists recursive
	var members mapped
	var pointers pointer
	var mixed any
	var embeds outer
	for i := range n {
		list = &linked{N: i, Next: list}
		lists = recursive{lists}
		members = mapped{"a": members}
		pointers = at(pointers)
		mixed = []map[string]struct{ A [1]any }{{"k": {[1]any{at(mixed)}}}}
		embeds = outer{&inner{Outer: []outer{embeds}}}
	}
	for _, v := range []any{list, *list, lists, members, pointers, mixed, embeds, []any{list}, map[string]*linked{"k": list}, []recursive{nil, lists}} {
		_, err := Marshal(v)
		var value *json.UnsupportedValueError
		require.ErrorAs(t, err, &value, "%T", v)
		require.ErrorContains(t, err, "nested deeper than 9900, or in itself", "%T", v)
	}
}

func at[T any](v T) *T { return &v }

type linked struct {
	N    int
	Next *linked `json:",omitempty"`
}
type recursive []recursive
type mapped map[string]mapped
type pointer *pointer
type outer struct{ *inner }
type inner struct{ Outer []outer }

// TestMarshalDepthIsThatOfJSON: types that hold themselves may be as deep as any.
func TestMarshalDepthIsThatOfJSON(t *testing.T) {
	var list *linked
	for range maxDepth {
		list = &linked{Next: list}
	}
	out, err := Marshal(list)
	require.NoError(t, err)
	require.Equal(t, plainJSON(t, list), string(out))
	_, err = Marshal(&linked{Next: list})
	require.ErrorContains(t, err, "nested deeper than 9900")
	_, err = Marshal(mapped{"a": {"b": nil}, "c": {}})
	require.NoError(t, err)
}

// opaque writes itself by its address, byValue in any place.
type opaque struct{ Hidden *linked }

func (*opaque) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

type byValue struct{ Hidden *linked }

func (byValue) MarshalText() ([]byte, error) { return []byte("t"), nil }

type hiddenList []*linked

func (hiddenList) MarshalJSON() ([]byte, error) { return []byte("[]"), nil }

type hiddenMap map[string]*linked

func (*hiddenMap) MarshalText() ([]byte, error) { return []byte("m"), nil }

type unexported struct {
	Next  *linked
	Kept  []any
	Notes map[string]any
}

// TestMarshalLooksAtWhatIsWritten: what encoding/json does not look into may be deep,
// and is nobody else's to look into.
func TestMarshalLooksAtWhatIsWritten(t *testing.T) {
	ring := &linked{}
	ring.Next = ring
	type around struct {
		hidden *linked
		Left   *linked `json:"-"`
		Kept   []any
	}
	list, members := hiddenList{ring}, hiddenMap{"a": ring}
	for _, v := range []any{
		&around{ring, ring, []any{1}}, []around{{}, {}, {}, {}, {}, {hidden: ring, Left: ring}},
		&opaque{ring}, []opaque{{ring}}, []any{&opaque{ring}}, &struct{ O opaque }{opaque{ring}},
		[]*opaque{nil, nil, nil, nil, nil, {ring}}, map[string]*opaque{"k": {ring}},
		byValue{ring}, &byValue{ring}, struct{ B byValue }{byValue{ring}}, map[string]byValue{"k": {ring}}, []any{byValue{ring}},
		list, &list, []hiddenList{list}, &members, []hiddenMap{members}, []*hiddenMap{&members},
		struct{ M json.Marshaler }{&opaque{ring}},
		struct{ *unexported }{&unexported{Kept: []any{1}, Notes: map[string]any{"a": "b"}}},
	} {
		out, err := Marshal(v)
		require.NoError(t, err, "%T", v)
		require.Equal(t, plainJSON(t, v), string(out))
	}
	var value *json.UnsupportedValueError
	for _, v := range []any{
		ring, opaque{ring}, map[string]opaque{"k": {ring}}, members, []any{opaque{ring}}, struct{ O opaque }{opaque{ring}}, []any{&opaque{ring}, opaque{ring}},
		struct{ unexported }{unexported{Next: ring}}, struct{ *unexported }{&unexported{Next: ring}}, &around{Kept: []any{ring}},
		[]unexported{{}, {}, {}, {}, {}, {Next: ring}}, map[string]unexported{"k": {Next: ring}}, [2]*linked{1: ring}, []any{1, "x", map[string]any{"k": ring}},
	} {
		_, err := Marshal(v)
		require.ErrorAs(t, err, &value, "%T", v)
		require.ErrorContains(t, err, "nested deeper than 9900, or in itself", "%T", v)
	}
}
