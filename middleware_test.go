package agentgraph_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestUseMakesEachMiddlewareOnce: however the middlewares come, in however many calls
// of Use, each is made once, when Use gets it, and they run in their order; rosters
// with the same beginning do not disturb each other.
func TestUseMakesEachMiddlewareOnce(t *testing.T) {
	base, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": echo("")})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var made, ran []string
		mark := func(name string) agentgraph.Middleware[string] {
			return func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
				made = append(made, name)
				if name[0] == '-' {
					return nil
				}
				return func(ctx context.Context, agent string, in post) ([]post, error) {
					ran = append(ran, name)
					return next(ctx, agent, in)
				}
			}
		}
		type used struct {
			roster *agentgraph.Roster[string]
			names  []string
		}
		all := []used{{roster: base}}
		var names []string
		for range rapid.IntRange(1, 6).Draw(t, "calls of Use") {
			from := rapid.SampledFrom(all).Draw(t, "roster")
			var mw []agentgraph.Middleware[string]
			next := slices.Clip(from.names)
			for range rapid.IntRange(0, 3).Draw(t, "middlewares") {
				name := fmt.Sprint(rapid.SampledFrom([]string{"", "-", "nil"}).Draw(t, "kind"), len(names))
				if name[0] == 'n' {
					mw = append(mw, nil)
					continue
				}
				mw, names = append(mw, mark(name)), append(names, name)
				if name[0] != '-' {
					next = append(next, name)
				}
			}
			all = append(all, used{from.roster.Use(mw...).With(agentgraph.Options{}), next})
		}
		require.ElementsMatch(t, names, made)
		for _, u := range all {
			ran = nil
			_, err := u.roster.Run(context.Background(), []post{toEveryone()})
			require.NoError(t, err)
			require.Equal(t, u.names, ran)
			ran = nil
			_, _, err = meet(nil, "", u.roster, []post{toEveryone()})
			require.NoError(t, err)
			require.Equal(t, u.names, ran, "in a durable meeting, too")
		}
		require.ElementsMatch(t, names, made)
	})
}
