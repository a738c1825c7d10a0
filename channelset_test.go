package agentgraph_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestChannelSetsAsJSON: what is written is a sorted list, and what is read is the
// set of a list, whatever its order and repeats.
func TestChannelSetsAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a", "b", "", "<&>", "\u2028"})), 0, 5).Draw(t, "names")
		set := agentgraph.Channels(names...)
		data, err := json.Marshal(set)
		require.NoError(t, err)
		var list []string
		require.NoError(t, json.Unmarshal(data, &list))
		require.NotNil(t, list)
		require.ElementsMatch(t, sortedNames(set), list)
		require.IsIncreasing(t, append([]string{"", "b"}[:0], list...))

		var again agentgraph.ChannelSet
		require.NoError(t, json.Unmarshal(data, &again))
		require.True(t, set.Equal(again))

		twice, err := json.Marshal(rapid.Permutation(append(names, names...)).Draw(t, "order"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(twice, &again))
		require.True(t, set.Equal(again))
	})
}

func TestChannelSetsInJSON(t *testing.T) {
	g := agentgraph.Connect(agentgraph.Channels("b", "a"), agentgraph.Vertex("x"), agentgraph.Vertex("y"))
	data, err := json.Marshal(g.Edges())
	require.NoError(t, err)
	require.Equal(t, `[{"From":"x","To":"y","Channels":["a","b"]}]`, string(data))
	var edges []agentgraph.Edge
	require.NoError(t, json.Unmarshal(data, &edges))
	require.Equal(t, g.Edges(), edges)

	data, err = json.Marshal(agentgraph.ChannelSet{})
	require.NoError(t, err)
	require.Equal(t, `[]`, string(data))
	set := agentgraph.Channels("a")
	require.NoError(t, json.Unmarshal([]byte(`null`), &set))
	require.True(t, set.Equal(agentgraph.ChannelSet{}))

	_, err = json.Marshal(agentgraph.Channels("c\xff"))
	require.ErrorContains(t, err, `agentgraph: channels as JSON: `)
	for _, bad := range []string{`{}`, `"a"`, `[1]`} {
		set := agentgraph.Channels("kept")
		require.ErrorContains(t, json.Unmarshal([]byte(bad), &set), `agentgraph: channels from JSON: `, bad)
		require.True(t, set.Equal(agentgraph.Channels("kept")))
	}
}

func sortedNames(s agentgraph.ChannelSet) []string {
	names := []string{}
	for ch := range s.All() {
		names = append(names, ch)
	}
	return names
}
