package journal

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// FuzzHistory reads lines of any kind, each a kind, a space and its data. It never
// panics, what it refuses is ErrMalformed, and what it takes in can be asked about.
func FuzzHistory(f *testing.F) {
	attempt := `attempt {"by":"a","id":1,"format":1,"given":{"put":{"x":1}}}`
	for _, lines := range []string{
		`step {}`,
		attempt + "\n" + `begin {"by":"a","id":2,"on":1,"step":"s","index":[0],"extra":["x"]}` + "\n" + `fail {"by":"a","id":2,"status":"failed","error":"e"}`,
		attempt + "\n" + `step {"by":"a","id":2,"on":1,"step":"s","index":[0],"set":{"put":{"y":2},"ref":{"z":[1,0,"x"]},"del":["x"]}}` + "\n" + `skip {"by":"a","of":[2,2],"ats":[1,2],"index":[1]}`,
		attempt + "\n" + `step {"by":"a","id":2,"on":1,"step":"s","set":{"ref":{"y":[2,1,"y"],"z":[9,7,""],"":null}}}`,
		attempt + "\n" + `meeting {"by":"a","id":3,"to":1,"step":"m","value":[{"name":"x","kind":"external"}]}` + "\n" + `meeting {"by":"a","id":4,"step":"m","of":[3]}` + "\n" +
			`turn {"by":"a","id":5,"to":1,"agent":"t/x","rooms":["t"],"post":"p","also":{"post":"p"}}` + "\n" + `took {"by":"a","to":1,"of":[5,6],"ats":[1],"nodes":[[1,2]]}`,
		attempt + "\n" + `ask {"by":"a","id":3,"to":1,"step":"q","seat":"x","value":1}` + "\n" + `answer {"to":3,"step":"q","seat":"x","value":[]}` + "\n" + `end {"by":"a","id":9,"on":1,"status":"done"}`,
		attempt + "\n" + `turn {"by":"a","id":1,"to":1,"status":"begun","rooms":["",""]}` + "\n" + `begin {"by":"a","id":1,"step":"s"}` + "\n" + attempt,
	} {
		f.Add(lines)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		h := NewHistory(snapshot.NewKey())
		seq := uint64(0)
		for line := range strings.SplitSeq(lines, "\n") {
			kind, data, _ := strings.Cut(line, " ")
			seq++
			if err := h.Add(kind, seq, time.Unix(0, 0), json.RawMessage(data)); err != nil {
				require.ErrorIs(t, err, ErrMalformed)
				break
			}
		}
		for i := range h.Attempts {
			h.Tree(i)
			h.Explain(i)
		}
		for _, e := range h.Open() {
			require.Equal(t, KindAsk, e.Kind)
		}
		for path := range h.meetings {
			h.HasSeat(path, "x")
		}
		for _, e := range h.asks {
			h.Asked(e.Step, e.Seat)
		}
		requireWriter(t, h)
	})
}

// requireWriter: whatever the history is, a writer can go on with it.
func requireWriter(t *testing.T, h *History) {
	t.Helper()
	w := &Writer{log: &tape{}, history: h, by: "w", lost: func(error) {}}
	for path := range h.answers {
		w.AnswerAt(path, 1)
	}
	d := &Draft{}
	d.Kind, d.ID, d.Step = KindMeeting, w.Number(), "m"
	w.NoteMeeting(d)
	require.NoError(t, w.Write(context.Background()))
}
