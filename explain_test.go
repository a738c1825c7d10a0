package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// told is what ExplainSteps says, a sentence a step.
func told(t *testing.T, store agentgraph.Store) []string {
	t.Helper()
	all, err := agentgraph.ExplainSteps(context.Background(), store, "run")
	require.NoError(t, err)
	var lines []string
	for _, e := range all {
		lines = append(lines, e.String())
	}
	return lines
}

func sets(name string, value any) func(*agentgraph.Step) error {
	return func(s *agentgraph.Step) error { s.Set(name, value); return nil }
}

func TestExplainSteps(t *testing.T) {
	store := agentgraph.NewMemStore()
	ill := true
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		if err := s.Step("fetch", sets("text", "abc")); err != nil {
			return err
		}
		return s.Step("work", func(s *agentgraph.Step) error {
			if err := s.Step("hash", sets("hash", 7)); err != nil {
				return err
			}
			if ill {
				return errors.New("ill")
			}
			return s.Step("count", sets("count", 3))
		})
	}, &agentgraph.ResumableOptions{Store: store})
	run := func(version int) {
		_, err := r.Run(context.Background(), "run", map[string]any{"version": version, "b": 1})
		require.Equal(t, ill, err != nil)
	}

	require.Empty(t, told(t, store))
	run(1)
	require.Equal(t, []string{
		"fetch ran: no earlier run of it is recorded",
		"work ran: no earlier run of it is recorded",
		"work/hash ran: no earlier run of it is recorded",
	}, told(t, store))

	ill = false
	run(1)
	require.Equal(t, []string{
		"fetch was skipped: executed in attempt 1 with the same input",
		"work ran: it had not ended well in attempt 1",
		"work/hash was skipped: executed in attempt 1 with the same input",
		"work/count ran: no earlier run of it is recorded",
	}, told(t, store))

	run(2)
	require.Equal(t, []string{
		`fetch ran: since attempt 1 its input changed: artifacts "version"`,
		`work ran: since attempt 2 its input changed: artifacts "version"`,
		`work/hash ran: since attempt 1 its input changed: artifacts "version"`,
		`work/count ran: since attempt 2 its input changed: artifacts "version"`,
	}, told(t, store))

	run(1)
	require.Equal(t, []string{
		"fetch was skipped: executed in attempt 1 with the same input",
		"work was skipped: executed in attempt 2 with the same input",
	}, told(t, store))
}

func TestExplainStepsOfAnAgent(t *testing.T) {
	store := agentgraph.NewMemStore()
	agent := &abacus{}
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error { return s.StepAgent(agent) },
		&agentgraph.ResumableOptions{Store: store})
	for range 2 {
		_, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		agent.n = 5
	}
	require.Equal(t, []string{"abacus ran: since attempt 1 its input changed: agent state"}, told(t, store))
}

func TestExplainStepsOfAMeeting(t *testing.T) {
	store := agentgraph.NewMemStore()
	roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"u", "a", "b"}, "c"), agentgraph.Registry[string]{
		"u": agentgraph.External[string](),
		"a": agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
			return []agentgraph.Post[string]{{Body: strconv.Itoa(len(in.Body))}}
		})),
		"b": agentgraph.Atomic(agentgraph.Machine(0, func(n int, in agentgraph.Post[string]) (int, []agentgraph.Post[string]) {
			return n + len(in.Body), nil
		})),
	})
	require.NoError(t, err)
	run := func(text string) {
		r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
			_, err := agentgraph.RunMeeting(s, "meet", roster, []agentgraph.Post[string]{agentgraph.NewPost("u", []string{"c.1"}, text)})
			return err
		}, &agentgraph.ResumableOptions{Store: store})
		_, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
	}
	run("abc")
	run("xyz")
	require.Equal(t, []string{
		"meet ran: since attempt 1 its input changed: inputs",
		"meet/a ran: since attempt 1 its input changed: post",
		"meet/b was skipped: executed in attempt 1 with the same input",
	}, told(t, store))
}

// TestExplainTurnsThatFail: one that fails is told under its own name, and compared
// with the time before.
func TestExplainTurnsThatFail(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		for _, maker := range []string{"error", "Goexit", "address", "body", "state"} {
			store := agentgraph.NewMemStore()
			ill := ""
			type state struct{ N any }
			roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"u", "a"}, "c"), agentgraph.Registry[string]{
				"u": agentgraph.External[string](),
				"a": agentgraph.Atomic(agentgraph.MachineContext(state{0}, func(_ context.Context, s state, in post) (state, []post, error) {
					if in.Body != ill {
						return state{"fine"}, nil, nil
					}
					switch maker {
					case "Goexit":
						runtime.Goexit()
					case "address":
						return s, []post{{To: []string{"nowhere"}}}, nil
					case "body":
						return s, []post{{Body: "\xff"}}, nil
					case "state":
						return state{"\xff"}, nil, nil
					}
					return s, nil, errOwn
				})),
			})
			require.NoError(t, err)
			roster = roster.With(agentgraph.Options{Parallel: parallel})
			run := func(bad string, texts ...string) *minutes.Minutes {
				ill = bad
				var work []post
				for _, text := range texts {
					work = append(work, agentgraph.NewPost("u", []string{"c.1"}, text))
				}
				_, _, err := meet(store, "run", roster, work)
				require.Equal(t, bad != "", err != nil)
				h := journal.NewHistory(snapshot.NewKey())
				for r, err := range store.Read(context.Background(), "run", 0) {
					require.NoError(t, err)
					require.NoError(t, h.Add(r.Kind, r.Seq, r.Time, r.Data))
				}
				m, err := minutes.Read(h, len(h.Attempts)-1, "talk")
				require.NoError(t, err)
				return m
			}
			for range 2 {
				m := run("2", "1", "2")
				require.Len(t, m.Turns, 3, "the inputs, and two turns")
				require.Equal(t, "a", m.Turns[2].Agent)
				require.Equal(t, 1, m.Turns[2].N)
				require.NotEmpty(t, m.Turns[2].Mark.Error)
			}
			require.Equal(t, []string{
				"talk ran: it had not ended well in attempt 1",
				"talk/a was skipped: executed in attempt 1 with the same input",
				"talk/a#1 ran: it had not ended well in attempt 1",
			}, told(t, store))

			run("", "1", "2")
			run("x", "1", "x")
			require.Equal(t, []string{
				"talk ran: since attempt 3 its input changed: inputs",
				"talk/a was skipped: executed in attempt 1 with the same input",
				"talk/a#1 ran: since attempt 3 its input changed: post",
			}, told(t, store))
		}
	}
}

// TestExplainAMeetingWithATurnThatIsNotRecorded: the code has changed so that an
// agent takes another turn, though what the meeting begins with is the same.
func TestExplainAMeetingWithATurnThatIsNotRecorded(t *testing.T) {
	store := agentgraph.NewMemStore()
	run := func(start int) {
		roster, err := agentgraph.ToRoster(agentgraph.Vertices("a"), agentgraph.Registry[string]{
			"a": agentgraph.Atomic(agentgraph.Machine(start, func(n int, _ post) (int, []post) { return n + 1, nil })),
		})
		require.NoError(t, err)
		_, _, err = meet(store, "run", roster, []post{toEveryone()})
		require.NoError(t, err)
	}
	run(0)
	run(7)
	require.Equal(t, []string{
		"talk ran: its input is that of attempt 1, but a turn is not recorded as its agent takes it now",
		"talk/a ran: since attempt 1 its input changed: state",
	}, told(t, store))
	all, err := agentgraph.ExplainSteps(context.Background(), store, "run")
	require.NoError(t, err)
	require.Equal(t, agentgraph.ReasonUnrecorded, all[0].Reason)
	require.Equal(t, 1, all[0].Attempt)
	run(7)
	require.Equal(t, []string{"talk was skipped: executed in attempt 2 with the same input"}, told(t, store))
}

// TestExplainATurnWhereAStepWas: a turn is not compared with a step, though the paths
// are the same.
func TestExplainATurnWhereAStepWas(t *testing.T) {
	store := agentgraph.NewMemStore()
	job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		return s.Step("talk", func(s *agentgraph.Step) error { return s.Step("a", sets("x", 1)) })
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := job.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	roster, err := agentgraph.ToRoster(agentgraph.Vertices("a"), agentgraph.Registry[string]{"a": echo("")})
	require.NoError(t, err)
	_, _, err = meet(store, "run", roster, []post{toEveryone()})
	require.NoError(t, err)
	require.Equal(t, []string{
		"talk ran: since attempt 1 its input changed: inputs, roster",
		"talk/a ran: no earlier run of it is recorded",
	}, told(t, store))
}

// abacus counts how often it was used, and is used by its state.
type abacus struct{ n int }

func (c *abacus) Name() string { return "abacus" }

func (c *abacus) Invoke(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	c.n++
	return nil, nil
}

func (c *abacus) ExportState() (any, error) { return c.n, nil }

func (c *abacus) ImportState(state json.RawMessage) error { return json.Unmarshal(state, &c.n) }
