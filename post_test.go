package agentgraph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
)

func TestPostIDTextIsTheID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := agentgraph.PostID{From: rapid.String().Draw(t, "from"), N: rapid.IntRange(0, 1<<40).Draw(t, "n")}
		text, err := id.MarshalText()
		require.NoError(t, err)
		var back agentgraph.PostID
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, id, back)
	})
}

// FuzzPostID: what can be read is written as it was.
func FuzzPostID(f *testing.F) {
	for _, text := range []string{"a#0", "team/x#3", "#1", "a#b#2", "", "a", "a#", "a#-1", "a#01", "a#+1", "a#99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var id agentgraph.PostID
		if err := id.UnmarshalText([]byte(text)); err != nil {
			require.Contains(t, err.Error(), "agentgraph: ")
			return
		}
		require.Equal(t, text, id.String())
		require.GreaterOrEqual(t, id.N, 0)
	})
}

func TestPostJSON(t *testing.T) {
	p := agentgraph.NewPost("user", []agentgraph.Channel{"b", "a", "b"}, "hi")
	data, err := json.Marshal([]agentgraph.Post[string]{p, agentgraph.Reply("yes", p, p)})
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"id": "#0", "from": "user", "to": ["a", "b"], "body": "hi"},
		{"id": "#0", "from": "", "to": null, "thread": ["#0"], "body": "yes"}
	]`, string(data))
}

func TestConeIsWhatAPostDescendsFrom(t *testing.T) {
	id := func(n int) agentgraph.PostID { return agentgraph.PostID{From: "a", N: n} }
	log := []agentgraph.Post[int]{
		{ID: id(0)}, {ID: id(1)}, {ID: id(2), Thread: []agentgraph.PostID{id(0)}},
		{ID: id(3), Thread: []agentgraph.PostID{id(1)}}, {ID: id(4), Thread: []agentgraph.PostID{id(2), id(0)}},
	}
	require.Equal(t, []agentgraph.PostID{id(0), id(2), id(4)}, agentgraph.Cone(log, id(4)))
	require.Equal(t, []agentgraph.PostID{id(1)}, agentgraph.Cone(log, id(1)))
	require.Empty(t, agentgraph.Cone(log, id(9)))
}
