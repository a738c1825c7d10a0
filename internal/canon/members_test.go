package canon_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

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
