package agentgraph_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// meddling is a middleware that answers some turns itself, lets the agent hear
// something else in others, or calls on twice, as the body says and nothing else.
func meddling(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
	return func(ctx context.Context, agent string, in post) ([]post, error) {
		switch (len(in.Body) + len(agent)) % 4 {
		case 0:
			return []post{{Body: "mine"}}, nil
		case 1:
			in.Body, in.To, in.Thread = strings.ToUpper(in.Body), nil, nil
		case 2:
			_, _ = next(ctx, agent, agentgraph.NewPost("nobody", nil, "dropped"))
		}
		return next(ctx, agent, in)
	}
}

// TestTapeBehindMiddleware: what a Tape has heard is the same after an attempt that
// failed, also where a middleware did not call on, or called on with another post.
func TestTapeBehindMiddleware(t *testing.T) {
	answers := func(agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(context.Context, string, post) ([]post, error) { return []post{{Body: "mine"}}, nil }
	}
	changes := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			in.Body = "not " + in.Body
			return next(ctx, agent, in)
		}
	}
	for _, c := range []struct {
		name  string
		first agentgraph.Middleware[string] // of the first turn
		want  []string
	}{
		{"answers", answers, []string{"mine", "2", "2 3"}},
		{"changes", changes, []string{"not 1", "not 1 2", "not 1 2 3"}},
		{"none", nil, []string{"1", "1 2", "1 2 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ill := false
			calls := 0
			tape := agentgraph.TapeContext(func(_ context.Context, history []post) ([]post, error) {
				if calls++; ill && history[len(history)-1].Body == "3" {
					return nil, errOwn
				}
				return []post{{Body: strings.Join(bodies(history), " ")}}, nil
			})
			g := agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("src"), agentgraph.Vertex("a"))
			r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"src": agentgraph.External[string](), "a": agentgraph.Atomic(tape)})
			require.NoError(t, err)
			if c.first != nil {
				r = r.Use(func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
					first := c.first(next)
					return func(ctx context.Context, agent string, in post) ([]post, error) {
						if in.Body == "1" {
							return first(ctx, agent, in)
						}
						return next(ctx, agent, in)
					}
				})
			}
			want := append([]string{"1", "2", "3"}, c.want...)
			plain, err := r.Run(context.Background(), inputs("1", "2", "3"))
			require.NoError(t, err)
			require.Equal(t, want, bodies(plain))

			store := agentgraph.NewMemStore()
			for range 2 {
				ill = true
				_, _, err = meet(store, "run", r, inputs("1", "2", "3"))
				require.ErrorIs(t, err, errOwn)
			}
			ill, calls = false, 0
			log, _, err := meet(store, "run", r, inputs("1", "2", "3"))
			require.NoError(t, err)
			require.Equal(t, asJSON(t, plain), asJSON(t, log))
			require.Equal(t, 1, calls, "that of the turn that failed")
			calls = 0
			again, _, err := meet(store, "run", r, inputs("1", "2", "3"))
			require.NoError(t, err)
			require.Equal(t, asJSON(t, plain), asJSON(t, again))
			require.Zero(t, calls)
		})
	}
}

// TestHiddenPartsOfWhatATapeHears: a middleware may put into a post what JSON does
// not keep. The agent sees it in that turn and not in the next, whether the process
// was another or not.
func TestHiddenPartsOfWhatATapeHears(t *testing.T) {
	var ill bool
	var seen []string
	tape := agentgraph.TapeContext(func(_ context.Context, history []agentgraph.Post[secret]) ([]agentgraph.Post[secret], error) {
		if ill && len(history) == 2 {
			return nil, errOwn
		}
		seen = append(seen, fmt.Sprint(len(history), ":"))
		for _, p := range history {
			seen = append(seen, fmt.Sprint(p.Body.Shown, p.Body.hidden))
		}
		return nil, nil
	})
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[secret]{"a": agentgraph.Atomic(tape)})
	require.NoError(t, err)
	r = r.Use(func(next agentgraph.TurnFunc[secret]) agentgraph.TurnFunc[secret] {
		return func(ctx context.Context, agent string, in agentgraph.Post[secret]) ([]agentgraph.Post[secret], error) {
			in.Body.hidden = 7
			return next(ctx, agent, in)
		}
	})
	work := []agentgraph.Post[secret]{
		agentgraph.NewPost("u", []string{agentgraph.Everyone}, secret{Shown: "x"}),
		agentgraph.NewPost("u", []string{agentgraph.Everyone}, secret{Shown: "y"}),
	}
	_, _, err = meet(agentgraph.NewMemStore(), "run", r, work)
	require.NoError(t, err)
	require.Equal(t, []string{"1:", "x7", "2:", "x0", "y7"}, seen)

	ill, seen = true, nil
	store := agentgraph.NewMemStore()
	_, _, err = meet(store, "run", r, work)
	require.ErrorIs(t, err, errOwn)
	ill = false
	_, _, err = meet(store, "run", r, work)
	require.NoError(t, err)
	require.Equal(t, []string{"1:", "x7", "2:", "x0", "y7"}, seen)
}

// TestWhatIsRecordedOfATape: its turns have nothing more than before where it heard
// the post of the turn.
func TestWhatIsRecordedOfATape(t *testing.T) {
	tape := agentgraph.Tape(func([]post) []post { return nil })
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(tape)})
	require.NoError(t, err)
	for heard, mw := range map[string]agentgraph.Middleware[string]{
		``: func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] { return next },
		`,"heard":[]`: func(agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
			return func(context.Context, string, post) ([]post, error) { return nil, nil }
		},
		`,"heard":[{"id":"user#0","from":"user","to":["*"],"body":"other"}]`: func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
			return func(ctx context.Context, agent string, in post) ([]post, error) {
				in.Body = "other"
				return next(ctx, agent, in)
			}
		},
	} {
		store := agentgraph.NewMemStore()
		_, _, err := meet(store, "run", r.Use(mw), []post{toEveryone()})
		require.NoError(t, err)
		for rec, err := range store.Read(context.Background(), "run", 0) {
			require.NoError(t, err)
			if rec.Kind == "turn" {
				require.Regexp(t, `^\{"by":"\w+","id":\d+,("at":\d+,)?"agent":"a","also":\{"post":"[^"]+"\},"to":2,"post":"user#0"`+regexp.QuoteMeta(heard)+`\}$`, string(rec.Data))
			}
		}
	}
}

// TestMeddlingSurvivesStops: a meeting whose middleware meddles has, however often a
// limit stopped it on the way, the log of one that nothing stopped.
func TestMeddlingSurvivesStops(t *testing.T) {
	everyScript(t, scripts(100), func(seed uint64) string {
		s, inputs := made(seed)
		r, err := agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(&world{}, ""))
		if err != nil {
			return err.Error()
		}
		r = r.Use(meddling)
		limit := func(n, parallel int) *agentgraph.Roster[string] {
			return r.With(agentgraph.Options{MaxTurns: n, Parallel: parallel})
		}
		m := limit(s.MaxTurns, 1).Open()
		if m.Post(inputs...) != nil {
			return ""
		}
		wantErr := m.Run(context.Background())
		want := asJSON(t, m.Log())
		store := agentgraph.NewMemStore()
		for n := 1; n < 12 && (s.MaxTurns <= 0 || n < s.MaxTurns); n += 3 {
			_, _, _ = meet(store, "run", limit(n, 1+n%2), inputs)
		}
		log, result, err := meet(store, "run", limit(s.MaxTurns, 4), inputs)
		if got := asJSON(t, log); got != want || wantErr != nil && kind(err) != kind(wantErr) {
			return fmt.Sprintf("%s\n%s\n%v and %v\n%s", want, got, wantErr, err, s)
		}
		return toldOfLast(t, store, "run", result)
	})
}
