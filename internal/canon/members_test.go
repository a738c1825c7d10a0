package canon_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

func TestMembers(t *testing.T) {
	var got []string
	err := canon.Members([]byte(` {"a" : 1, "b\u0041":[{"x":{}},[]] ,"":{"y":"}"}, "s":"\"", "n":null} `), func(key, value []byte) error {
		got = append(got, string(key), string(value))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "1", `b\u0041`, `[{"x":{}},[]]`, "", `{"y":"}"}`, "s", `"\""`, "n", "null"}, got)

	require.NoError(t, canon.Members([]byte("{}"), nil))
	for _, bad := range []string{"", "[]", "1", `"a"`, "{", `{"a"`, `{"a":`, `{"a":1`, `{"a":[1}`, `{"a":1}x`, `{"a":1,}`, `{} {}`} {
		require.Error(t, canon.Members([]byte(bad), func(_, _ []byte) error { return nil }), bad)
	}
	stop := errors.New("stop")
	require.Equal(t, stop, canon.Members([]byte(`{"a":1,"b":`), func(_, _ []byte) error { return stop }))
}

func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{"c":"d"}],"e":{"f":null}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal(raw, &want) == nil && want != nil
		n := 0
		err := canon.Members(raw, func(key, value []byte) error {
			n++
			if !json.Valid(value) {
				t.Errorf("value %q", value)
			}
			require.Equal(t, texts(canon.Members, value), texts(canon.Inner, value))
			return nil
		})
		if err == nil && (!valid || n < len(want)) {
			t.Errorf("%d members, want %d, valid %v", n, len(want), valid)
		}
		if _, sumErr := canon.Sum(raw); valid && sumErr == nil && err != nil {
			t.Errorf("refused: %v", err)
		}
	})
}

// texts is all that a way through an object gives, and whether it ended well.
func texts(way func([]byte, func(key, value []byte) error) error, raw []byte) []string {
	all := []string{}
	err := way(raw, func(key, value []byte) error {
		all = append(all, string(key), string(value))
		return nil
	})
	if err != nil {
		return nil
	}
	return all
}

func TestInner(t *testing.T) {
	for _, object := range []string{
		`{}`, ` { "a" : "\\" , "b\"" : ["]",{"}":"{"}] } `, `{"ä\\\"":"日本\\\\","":1.5e3,"n":null,"t":[true,false]}`,
	} {
		require.NotEmpty(t, texts(canon.Members, []byte(`{"x":`+object+`}`)))
		require.Equal(t, texts(canon.Members, []byte(object)), texts(canon.Inner, []byte(object)))
	}
	require.Nil(t, texts(canon.Inner, []byte(`["a"]`)))
}

// TestInvalidUTF8: the error says where the first byte stands that is no UTF-8, be
// what is around it ASCII or not.
func TestInvalidUTF8(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "ä", "日", "\U0001f600", `\n`, `\"`, "long enough to be looked at in words", "\ufffd"}), 0, 6)
		bad := rapid.SampledFrom([]string{"\xff", "\xe6\x97", "\xc0\x80", "\xed\xa0\x80", "\xf0\x9f"}).Draw(t, "bad")
		before := `"` + strings.Join(part.Draw(t, "before"), "")
		text := before + bad + strings.Join(part.Draw(t, "after"), "") + `"`
		_, err := canon.Sum([]byte(text))
		require.EqualError(t, err, fmt.Sprintf("invalid JSON: invalid UTF-8 at byte %d", len(before)))
	})
}
