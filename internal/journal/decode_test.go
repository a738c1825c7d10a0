package journal

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecode: an entry is what encoding/json makes of it, usual or not.
func TestDecode(t *testing.T) {
	for _, line := range []string{
		`{}`,
		`{"by":"b","id":3,"at":17,"step":"a/b#1","index":[0,2],"on":1,"given":{"put":{"x":1}},"set":{"put":{"y":{"z":[1,2]},"":null}}}`,
		`{"by":"b","id":3,"given":{"put":{"x":1},"ref":{"y":[2,1,"z"]},"del":["q"]},"extra":["x"],"also":{"inputs":"d","roster":"e"}}`,
		`{"by":"b","id":3,"step":"Gr\u00fc\u00dfe","also":{"a\n":"b"}}`,
		`{"by":"b","id":3,"agent":"team/x","also":{"post":"p","state":"s"},"to":2,"n":4,"post":"u#0","value":[{"body":"hi"}],"state":{"n":1}}`,
		`{"by":"b","of":[1,2],"ats":[3,4],"index":[0],"status":"done","error":"e","nodes":[[1],[2]]}`,
		`{"set":{"del":["x"]},"states":{"put":{"agent":1}}}`,
		`{"index":[]}`,
		`{"set":{"put":{"x":"ä"},"ref":{"y":[2,1,"z"],"\u0061":[1,0,"b\n"]},"del":["q","\u0062"]},"states":null,"extra":["\n"],"rooms":[],"answers":[1],"ats":null}`,
		`{"name":"\u00e4","format":1,"seat":"s","inputs":[1,{"a":"b"}],"status":"waiting","error":"\u202e"}`,
		`{"unknown":1,"id":2}`,
	} {
		var want, got Entry
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		require.NoError(t, decode([]byte(line), &got))
		require.Equal(t, want, got, line)
	}
	for _, line := range []string{``, `[]`, `1`, `{"id":"x"}`, `{"by":1}`, `{"id":1`, `{"index":[1,"x"]}`, `{"given":[]}`, `{"id":1.5}`, `{"id":1}x`} {
		require.Error(t, decode([]byte(line), &Entry{}), line)
	}
}
