package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// asked is what bodies were told, by where they asked.
type asked struct {
	mu   sync.Mutex
	info map[string]agentgraph.StepInfo
}

func (a *asked) ask(ctx context.Context, t testing.TB, where string) {
	info, ok := agentgraph.StepFrom(ctx)
	require.True(t, ok, where)
	again, _ := agentgraph.StepFrom(ctx)
	require.Equal(t, info, again)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.info[where] = info
}

// keyAgent asks, too. Its state counts as input.
type keyAgent struct {
	ask   func(ctx context.Context)
	State int
}

func (*keyAgent) Name() string                          { return "agent" }
func (a *keyAgent) ExportState() (any, error)           { return a.State, nil }
func (a *keyAgent) ImportState(s json.RawMessage) error { return json.Unmarshal(s, &a.State) }
func (a *keyAgent) Invoke(ctx context.Context, _ agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	a.ask(ctx)
	return nil, nil
}

// askEverywhere runs a flow whose bodies all ask, and returns what they were told.
func askEverywhere(t testing.TB, store agentgraph.Store, runID string, in map[string]any, state int) map[string]agentgraph.StepInfo {
	a := &asked{info: map[string]agentgraph.StepInfo{}}
	step := func(where string) func(*agentgraph.Step) error {
		return func(s *agentgraph.Step) error { a.ask(s.Context(), t, where); return nil }
	}
	nested := agentgraph.NewResumable("nested", func(s *agentgraph.Step) error {
		a.ask(s.Context(), t, "nested")
		return s.Step("pay", step("nested pay"))
	}, nil)
	body := func(s *agentgraph.Step) error {
		a.ask(s.Context(), t, "run")
		for _, where := range []string{"pay", "pay#1"} {
			if err := s.Step("pay", step(where)); err != nil {
				return err
			}
		}
		for _, where := range []string{"go", "go#1"} {
			s.Go("go", step(where))
		}
		s.Go("extra", step("extra"), agentgraph.Input("extra", in["n"]))
		if err := s.Wait(); err != nil {
			return err
		}
		if err := s.Step("a/b", func(s *agentgraph.Step) error { return s.Step("pay", step("deep")) }); err != nil {
			return err
		}
		if _, err := agentgraph.Do(s, "do", func(ctx context.Context) (int, error) { a.ask(ctx, t, "do"); return 1, nil }); err != nil {
			return err
		}
		if err := s.StepAgent(&keyAgent{func(ctx context.Context) { a.ask(ctx, t, "agent") }, state}); err != nil {
			return err
		}
		return s.StepAgent(nested)
	}
	_, err := agentgraph.NewResumable("flow", body, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), runID, in)
	require.NoError(t, err)
	return a.info
}

// TestStepFrom: each body learns its run and place, and has a key of its own, which is
// the same wherever the run is begun anew, and that of an equal input.
func TestStepFrom(t *testing.T) {
	in := map[string]any{"n": 1, "who": map[string]any{"a": 1, "b": nil}}
	got := askEverywhere(t, agentgraph.NewMemStore(), "run", in, 0)
	places := map[string]string{
		"run": "", "pay": "pay", "pay#1": "pay#1", "go": "go", "go#1": "go#1", "extra": "extra", "deep": "a%2Fb/pay",
		"do": "do", "agent": "agent", "nested": "nested", "nested pay": "nested/pay",
	}
	require.Len(t, got, len(places))
	keys := map[string]string{}
	for where, path := range places {
		info := got[where]
		require.Equal(t, agentgraph.StepInfo{RunID: "run", Step: path, IdempotencyKey: info.IdempotencyKey}, info)
		require.Len(t, info.IdempotencyKey, 24)
		require.NotContains(t, keys, info.IdempotencyKey, where)
		keys[info.IdempotencyKey] = where
	}
	require.Equal(t, "qeU2uFpDIiFoWTZ3Uu0ZKuIz", got["pay"].IdempotencyKey, "that which other processes and versions make")

	equal := map[string]any{"n": json.RawMessage("1.0"), "who": json.RawMessage(`{ "b":null, "a":1 }`)}
	require.Equal(t, got, askEverywhere(t, agentgraph.NewMemStore(), "run", equal, 0))

	for where, other := range askEverywhere(t, agentgraph.NewMemStore(), "run 2", in, 0) {
		require.NotContains(t, keys, other.IdempotencyKey, "another run: %s", where)
	}
	for where, other := range askEverywhere(t, agentgraph.NewMemStore(), "run", map[string]any{"n": 2, "who": in["who"]}, 0) {
		require.NotContains(t, keys, other.IdempotencyKey, "another input: %s", where)
	}
	stateful := askEverywhere(t, agentgraph.NewMemStore(), "run", in, 1)
	require.NotContains(t, keys, stateful["agent"].IdempotencyKey)
	require.Equal(t, got["do"], stateful["do"])

	for where, info := range askEverywhere(t, nil, "", in, 0) {
		require.Equal(t, agentgraph.StepInfo{Step: places[where]}, info, "without a run ID")
	}
}

// TestStepFromExtra: what is input of one step alone counts for that one.
func TestStepFromExtra(t *testing.T) {
	keys := map[string]bool{}
	for _, extra := range [][]agentgraph.Extra{
		nil, {agentgraph.Input("x", 1)}, {agentgraph.Input("x", 2)}, {agentgraph.Input("y", 1)},
		{agentgraph.Input("x", 1), agentgraph.Input("y", 1)}, {agentgraph.Input("x", nil)}, {agentgraph.Input("", 1)},
	} {
		_, err := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
			return s.Step("pay", func(s *agentgraph.Step) error {
				before, _ := agentgraph.StepFrom(s.Context())
				s.Set("x", "what it does itself is no input")
				after, _ := agentgraph.StepFrom(s.Context())
				require.Equal(t, before, after)
				keys[after.IdempotencyKey] = true
				return nil
			}, extra...)
		}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()}).Run(context.Background(), "run", nil)
		require.NoError(t, err)
	}
	require.Len(t, keys, 7)
}

// severed is a store that takes nothing more once it is cut off.
type severed struct {
	agentgraph.Store
	cut func() bool
}

func (s severed) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if s.cut() {
		return errors.New("the machine is gone")
	}
	return s.Store.Append(ctx, runID, after, records...)
}

// TestStepFromAfterACrash: between what a step did and its record the process dies,
// and another one does it again under the same key; the branches beside it too, and
// nothing of that depends on what had been done.
func TestStepFromAfterACrash(t *testing.T) {
	store := agentgraph.NewMemStore()
	var mu sync.Mutex
	paid, gone := map[string][]string{}, false
	pay := func(s *agentgraph.Step) error {
		info, ok := agentgraph.StepFrom(s.Context())
		mu.Lock()
		defer mu.Unlock()
		require.True(t, ok)
		paid[info.Step] = append(paid[info.Step], info.IdempotencyKey)
		gone = gone || info.Step == "pay"
		s.Set("receipt", 17)
		return nil
	}
	cut := func() bool { mu.Lock(); defer mu.Unlock(); return gone }
	run := func(store agentgraph.Store) error {
		_, err := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
			if err := s.Step("look", sets("sum", 3)); err != nil {
				return err
			}
			s.Go("branch", pay)
			s.Go("branch", pay)
			if err := s.Wait(); err != nil {
				return err
			}
			return s.Step("pay", pay)
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "order/1", nil)
		return err
	}
	require.ErrorContains(t, run(severed{store, cut}), "the machine is gone")
	require.Len(t, paid["pay"], 1)
	require.NoError(t, run(agentgraph.NewMemStore()), "where nothing was recorded")
	require.NoError(t, run(store))
	require.Len(t, paid["pay"], 3)
	require.Equal(t, []string{paid["pay"][0], paid["pay"][0], paid["pay"][0]}, paid["pay"])
	require.Len(t, paid["branch"], 2, "skipped where they were recorded")
	require.Equal(t, paid["branch"][0], paid["branch"][1])
	require.Equal(t, paid["branch#1"][0], paid["branch#1"][1])
	require.NotEqual(t, paid["branch"][0], paid["branch#1"][0])
}

// TestStepFromInAMeeting: a turn of a durable meeting is no step; one of any other
// meeting in a step is a part of that step.
func TestStepFromInAMeeting(t *testing.T) {
	var told []agentgraph.StepInfo
	var turns []agentgraph.TurnInfo
	agent := agentgraph.EachContext(func(ctx context.Context, in post) ([]post, error) {
		if info, ok := agentgraph.StepFrom(ctx); ok {
			told = append(told, info)
		}
		info, ok := agentgraph.TurnFrom(ctx)
		require.True(t, ok)
		turns = append(turns, info)
		return nil, nil
	})
	middleware := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, name string, in post) ([]post, error) {
			if info, ok := agentgraph.StepFrom(ctx); ok {
				told = append(told, info)
			}
			return next(ctx, name, in)
		}
	}
	roster, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agent)})
	require.NoError(t, err)
	roster = roster.Use(middleware)
	hi := []post{agentgraph.NewPost("you", []string{agentgraph.Everyone}, "hi")}
	_, _, err = meet(agentgraph.NewMemStore(), "run", roster, hi)
	require.NoError(t, err)
	require.Empty(t, told)
	require.Len(t, turns, 1)
	require.NotEmpty(t, turns[0].IdempotencyKey)

	var own agentgraph.StepInfo
	_, err = agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		return s.Step("talk", func(s *agentgraph.Step) error {
			own, _ = agentgraph.StepFrom(s.Context())
			_, err := roster.Run(s.Context(), hi)
			return err
		})
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()}).Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.NotEmpty(t, own.IdempotencyKey)
	require.Equal(t, []agentgraph.StepInfo{own, own}, told)
	require.NotEqual(t, turns[0].IdempotencyKey, own.IdempotencyKey)
	require.Empty(t, turns[1].IdempotencyKey)
}

// TestStepFromInANestedResumable: its body is at the place of the step around it, with
// what it was given.
func TestStepFromInANestedResumable(t *testing.T) {
	var inner []agentgraph.StepInfo
	nested := agentgraph.NewResumable("nested", func(s *agentgraph.Step) error {
		info, ok := agentgraph.StepFrom(s.Context())
		require.True(t, ok)
		inner = append(inner, info)
		return nil
	}, nil)
	var outer agentgraph.StepInfo
	_, err := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		return s.Step("orders", func(s *agentgraph.Step) error {
			outer, _ = agentgraph.StepFrom(s.Context())
			for _, order := range []string{"1", "2", "1"} {
				if _, err := nested.Invoke(s.Context(), agentgraph.Artifacts{"order": json.RawMessage(order)}); err != nil {
					return err
				}
			}
			return nil
		})
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()}).Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Len(t, inner, 3)
	for _, info := range inner {
		require.Equal(t, "run", info.RunID)
		require.Equal(t, "orders", info.Step)
		require.NotEqual(t, outer.IdempotencyKey, info.IdempotencyKey)
	}
	require.Equal(t, inner[0], inner[2])
	require.NotEqual(t, inner[0], inner[1])

	_, err = nested.Invoke(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, agentgraph.StepInfo{}, inner[3], "a run of its own, without an ID")
}

func TestStepFromOutside(t *testing.T) {
	for _, ctx := range []context.Context{nil, context.Background()} {
		info, ok := agentgraph.StepFrom(ctx)
		require.False(t, ok)
		require.Zero(t, info)
	}
}
