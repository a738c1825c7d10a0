package journal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// TestLargest: the largest value is named by what it is and where it stands.
func TestLargest(t *testing.T) {
	key := snapshot.NewKey()
	large := json.RawMessage(`"` + strings.Repeat("x", 98) + `"`)
	values := func(name string) []snapshot.Change {
		m := key.Empty()
		for name, raw := range map[string]json.RawMessage{"other": json.RawMessage(`"` + strings.Repeat("y", 80) + `"`), name: large} {
			v, err := snapshot.NewValue(raw)
			require.NoError(t, err)
			m = m.With(name, v)
		}
		return snapshot.Rewritten(key.Empty(), m)
	}
	for want, d := range map[string]*Draft{
		`artifact "a" of the input`:      {Entry: Entry{Kind: KindAttempt}, Given: values("a")},
		`artifact "a" at step "s/t"`:     {Entry: Entry{Kind: KindStep, Step: "s/t"}, Set: values("a")},
		`artifact "z" at step "s"`:       {Entry: Entry{Kind: KindBegin, Step: "s"}, Given: values("z")},
		`artifact "a"`:                   {Entry: Entry{Kind: KindEnd}, Given: values("a")},
		`state of agent "a" at step "s"`: {Entry: Entry{Kind: KindStep, Step: "s"}, States: values("a")},
		`error at step "s"`:              {Entry: Entry{Kind: KindFail, Step: "s", Error: strings.Repeat("x", 100)}},
		`question at step "s"`:           {Entry: Entry{Kind: KindAsk, Step: "s", Value: large}},
		`answer at step "s"`:             {Entry: Entry{Kind: KindAnswer, Step: "s", Value: large}},
		`posts of agent "writer"`:        {Entry: Entry{Kind: KindTurn, Agent: "writer", Value: large}},
		`state of agent "writer"`:        {Entry: Entry{Kind: KindTurn, Agent: "writer", State: large}},
		`history of agent "writer"`:      {Entry: Entry{Kind: KindTurn, Agent: "writer", Heard: large}},
		`roster at step "meet"`:          {Entry: Entry{Kind: KindMeeting, Step: "meet", Value: large}},
		`posts at step "meet"`:           {Entry: Entry{Kind: KindMeeting, Step: "meet", Inputs: large}},
	} {
		t.Run(want, func(t *testing.T) {
			h := NewHistory(key)
			small := h.Line(&Draft{Entry: Entry{Kind: KindAsk, Step: "small", Value: json.RawMessage(`"?"`)}})
			what, size := Largest([]Line{small, {Kind: KindStep, Data: json.RawMessage(`[]`)}, h.Line(d), small})
			require.Equal(t, want, what)
			require.Equal(t, 100, size)
		})
	}
}
