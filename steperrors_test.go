package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// inSteps is a Resumable whose body is in a step "inner" in a step "outer".
func inSteps(store agentgraph.Store, body func(*agentgraph.Step) error) *agentgraph.Resumable {
	return agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		return s.Step("outer", func(s *agentgraph.Step) error { return s.Step("inner", body) })
	}, &agentgraph.ResumableOptions{Store: store})
}

// tellSteps writes a tree down: names, statuses and errors.
func tellSteps(nodes []*agentgraph.StepNode) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.StepName + " " + string(n.Status)
		if n.Error != "" {
			parts[i] += fmt.Sprintf(" %q", n.Error)
		}
		if len(n.Children) > 0 {
			parts[i] += " (" + tellSteps(n.Children) + ")"
		}
	}
	return strings.Join(parts, ", ")
}

// requireTold checks that the journal tells of the last attempt what its result did.
func requireTold(t *testing.T, r *agentgraph.Resumable, runID string, result *agentgraph.Result) {
	t.Helper()
	runs, err := r.StepsRun(context.Background(), runID)
	require.NoError(t, err)
	require.NotEmpty(t, runs)
	require.Equal(t, tellSteps(result.Steps), tellSteps(runs[len(runs)-1]))
}

// requireStepError checks what every error of a run has.
func requireStepError(t *testing.T, err error, path string) {
	t.Helper()
	var e *agentgraph.StepError
	require.ErrorAs(t, err, &e)
	require.Equal(t, path, e.Path, err.Error())
	require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), err.Error())
	require.True(t, strings.HasPrefix(err.Error(), "agentgraph: "), err.Error())
}

// run lets a function run in a goroutine of its own, which it may end.
func runApart(f func()) (ended bool) {
	done := make(chan bool)
	go func() {
		returned := false
		defer func() { done <- !returned }()
		f()
		returned = true
	}()
	return <-done
}

// incomparable is an error that must not be compared.
type incomparable struct{ why any }

func (e incomparable) Error() string { return fmt.Sprint(e.why) }

// absent is an error that is there though its pointer is nil.
type absent struct{ text string }

func (e *absent) Error() string { return e.text }

func TestStepMishaps(t *testing.T) {
	for _, m := range mishaps {
		t.Run(m.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			for _, runID := range []string{"", "run"} {
				r := inSteps(agentgraph.NewMemStore(), func(s *agentgraph.Step) error {
					s.Set("lost", 1)
					return m.do()
				})
				var result *agentgraph.Result
				var err error
				if ended := runApart(func() { result, err = r.Run(context.Background(), runID, nil) }); ended {
					require.Equal(t, "Goexit", m.name)
					continue
				}
				require.NotEqual(t, "Goexit", m.name)
				requireMishap(t, m, err)
				requireStepError(t, err, "outer/inner")
				require.Empty(t, result.Artifacts)
				if runID != "" {
					requireTold(t, r, runID, result)
				}
			}
			requireTidy(t, &yard{}, before)
		})
	}
}

// requireMishap is the check of a mishap, whose stack is that of this file too.
func requireMishap(t *testing.T, m mishap, err error) {
	t.Helper()
	m.check(t, err)
}

// TestGoexitInAStep: what a goroutine that ends leaves behind is an error, and the
// run can be run again.
func TestGoexitInAStep(t *testing.T) {
	store := agentgraph.NewMemStore()
	quit := true
	r := inSteps(store, func(s *agentgraph.Step) error {
		s.Go("beside", func(*agentgraph.Step) error { return nil })
		if quit {
			runtime.Goexit()
		}
		s.Set("done", true)
		return nil
	})
	require.True(t, runApart(func() { _, _ = r.Run(context.Background(), "run", nil) }))
	runs, err := r.StepsRun(context.Background(), "run")
	require.NoError(t, err)
	require.Len(t, runs, 1)
	const why = `"agentgraph: panic: runtime.Goexit was called"`
	require.Equal(t, "outer error "+why+" (inner error "+why+" (beside executed))", tellSteps(runs[0]))

	quit = false
	result, err := r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, "outer executed (inner executed (beside cached))", tellSteps(result.Steps))
}

// TestGoexitInAStepAtOnce: the body of a step started with Go has a goroutine of its
// own; what ends with that is the step.
func TestMishapsInStepsAtOnce(t *testing.T) {
	for _, m := range mishaps {
		t.Run(m.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			r := inSteps(agentgraph.NewMemStore(), func(s *agentgraph.Step) error {
				s.Go("bad", func(s *agentgraph.Step) error {
					s.Go("deep", func(*agentgraph.Step) error { return nil })
					s.Set("lost", 1)
					return m.do()
				})
				s.Go("good", func(s *agentgraph.Step) error { s.Set("kept", 1); return nil })
				return s.Wait()
			})
			result, err := r.Run(context.Background(), "run", nil)
			m.check(t, err)
			requireStepError(t, err, "outer/inner/bad")
			require.Empty(t, result.Artifacts)
			requireTold(t, r, "run", result)
			requireTidy(t, &yard{}, before)
		})
	}
}

// TestErrorsThatBite: errors that panic when they are compared or asked for a text.
func TestErrorsThatBite(t *testing.T) {
	texts := map[string]string{"incomparable": "[1]", "nil pointer": "error without a text"}
	for name, bite := range map[string]error{"incomparable": incomparable{[]int{1}}, "nil pointer": (*absent)(nil)} {
		for _, wrapped := range []bool{false, true} {
			for _, runID := range []string{"", "run"} {
				r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					err := s.Step("a", func(s *agentgraph.Step) error {
						return s.Step("b", func(*agentgraph.Step) error { return bite })
					})
					require.True(t, isSame(err, bite), name)
					if wrapped {
						return &agentgraph.ArtifactError{Artifact: "x", Err: err}
					}
					return err
				}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
				result, err := r.Run(context.Background(), runID, nil)
				var e *agentgraph.StepError
				require.ErrorAs(t, err, &e)
				inner := e.Err
				if wrapped {
					inner = errors.Unwrap(inner)
				}
				require.True(t, isSame(inner, bite), name)
				require.True(t, strings.HasSuffix(err.Error(), ": "+texts[name]), err.Error())
				text := strconv.Quote(texts[name])
				require.Equal(t, "a error "+text+" (b error "+text+")", tellSteps(result.Steps))
			}
		}
	}
}

// isSame compares without comparing what must not be compared.
func isSame(a, b error) bool { return fmt.Sprintf("%T%#v", a, a) == fmt.Sprintf("%T%#v", b, b) }

// TestPathOfAnError: it is the first step that an error left, also when those
// around it say more; an error of their own has their path.
func TestPathOfAnError(t *testing.T) {
	own := errors.New("own")
	inner := func(s *agentgraph.Step) error {
		return s.Step("b", func(*agentgraph.Step) error { return errOwn })
	}
	for name, c := range map[string]struct {
		body func(*agentgraph.Step) error
		path string
		is   error
	}{
		"passed":  {func(s *agentgraph.Step) error { return s.Step("a", inner) }, "a/b", errOwn},
		"wrapped": {func(s *agentgraph.Step) error { return fmt.Errorf("more: %w", s.Step("a", inner)) }, "a/b", errOwn},
		"replaced": {func(s *agentgraph.Step) error {
			return s.Step("a", func(s *agentgraph.Step) error {
				_ = s.Step("b", func(*agentgraph.Step) error { return errOwn })
				return own
			})
		}, "a", own},
		"of the run": {func(s *agentgraph.Step) error { _ = s.Step("a", inner); return own }, "", own},
		"handled, then another": {func(s *agentgraph.Step) error {
			_ = s.Step("a", inner)
			return s.Step("c", func(*agentgraph.Step) error { return own })
		}, "c", own},
		"at once, the first called fails last": {func(s *agentgraph.Step) error {
			second := make(chan struct{})
			s.Go("a", func(s *agentgraph.Step) error { <-second; return inner(s) })
			s.Go("c", func(s *agentgraph.Step) error { return s.Step("d", func(*agentgraph.Step) error { return own }) })
			s.Go("e", func(s *agentgraph.Step) error {
				defer close(second)
				return s.Step("f", func(*agentgraph.Step) error { return own })
			})
			return s.Step("z", func(*agentgraph.Step) error { return s.Context().Err() })
		}, "a/b", errOwn},
		"in an agent's own steps": {func(s *agentgraph.Step) error {
			return s.StepAgent(agentgraph.NewResumable("x", inner, nil))
		}, "x/b", errOwn},
		"second of a name": {func(s *agentgraph.Step) error {
			_ = s.Step("a/#%", inner)
			return s.Step("a/#%", inner)
		}, "a%2F%23%25#1/b", errOwn},
	} {
		t.Run(name, func(t *testing.T) {
			r := agentgraph.NewResumable("job", c.body, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
			_, err := r.Run(context.Background(), "run", nil)
			require.ErrorIs(t, err, c.is)
			requireStepError(t, err, c.path)
			var e *agentgraph.StepError
			require.ErrorAs(t, err, &e)
			require.Equal(t, "run", e.RunID)
			require.Equal(t, 1, e.Attempt)
		})
	}
}

// TestNothingToRun: a nil where work should be is an error.
func TestNothingToRun(t *testing.T) {
	in := func(f func(*agentgraph.Step) error) error {
		r := agentgraph.NewResumable("job", f, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
		_, err := r.Run(context.Background(), "run", nil)
		return err
	}
	var none *agentgraph.Resumable
	for name, c := range map[string]struct {
		err  error
		is   error
		path string
	}{
		"run":  {in(nil), agentgraph.ErrNoBody, ""},
		"step": {in(func(s *agentgraph.Step) error { return s.Step("a", nil) }), agentgraph.ErrNoBody, "a"},
		"go":   {in(func(s *agentgraph.Step) error { s.Go("a", nil); return s.Wait() }), agentgraph.ErrNoBody, "a"},
		"do": {in(func(s *agentgraph.Step) error {
			_, err := agentgraph.Do[int](s, "a", nil)
			return err
		}), agentgraph.ErrNoBody, "a"},
		"agent":       {in(func(s *agentgraph.Step) error { return s.StepAgent(nil) }), agentgraph.ErrMissingAgent, ""},
		"agent's nil": {in(func(s *agentgraph.Step) error { return s.StepAgent(none) }), nil, ""},
		"agent without a body": {in(func(s *agentgraph.Step) error {
			return s.StepAgent(agentgraph.NewResumable("a", nil, nil))
		}), nil, "a"},
		"name":     {in(func(s *agentgraph.Step) error { return s.Step("", nil) }), agentgraph.ErrBadName, ""},
		"bad name": {in(func(s *agentgraph.Step) error { return s.Step("\xff", nil) }), agentgraph.ErrBadName, ""},
		"bad name in Go": {in(func(s *agentgraph.Step) error {
			s.Go("\xff", func(*agentgraph.Step) error { return nil })
			return s.Wait()
		}), agentgraph.ErrBadName, ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Error(t, c.err)
			if c.is != nil {
				require.ErrorIs(t, c.err, c.is)
			}
			requireStepError(t, c.err, c.path)
		})
	}
}

// TestNilArtifactAgent: the error says where, in the run itself and in a step.
func TestNilArtifactAgent(t *testing.T) {
	_, err := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		require.EqualError(t, s.StepAgent(nil), `agentgraph: agent in the run is nil: no agent in the registry`)
		return s.Step("a", func(s *agentgraph.Step) error {
			require.EqualError(t, s.StepAgent(nil), `agentgraph: agent in step "a" is nil: no agent in the registry`)
			return nil
		})
	}, nil).Run(context.Background(), "", nil)
	require.NoError(t, err)
}

// TestNilContext: it counts as one that never ends.
func TestNilContext(t *testing.T) {
	var none context.Context
	store := agentgraph.NewMemStore()
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[int](s, "q", "?")
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := r.Run(none, "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	questions, err := agentgraph.Questions(none, store, "run")
	require.NoError(t, err)
	require.Len(t, questions, 1)
	require.NoError(t, agentgraph.Answer(none, store, "run", "q", 1))
	require.ErrorIs(t, agentgraph.AnswerSeat(none, store, "run", "q", "seat", toEveryone()), agentgraph.ErrNoQuestion)
	out, err := r.Invoke(none, nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	require.Empty(t, out)
	_, err = r.Run(none, "run", nil)
	require.NoError(t, err)
	runs, err := r.StepsRun(none, "run")
	require.NoError(t, err)
	require.Len(t, runs, 2)
}

// TestNoStore: what needs a store and has none says so.
func TestNoStore(t *testing.T) {
	ctx := context.Background()
	r := agentgraph.NewResumable("job", sets("a", 1), nil)
	result, err := r.Run(ctx, "run", map[string]any{"in": 1})
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
	requireStepError(t, err, "")
	require.Equal(t, agentgraph.Artifacts{"in": json.RawMessage("1")}, result.Artifacts)
	_, err = r.StepsRun(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
	_, err = agentgraph.Questions(ctx, nil, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
	require.ErrorIs(t, agentgraph.Answer(ctx, nil, "run", "q", 1), agentgraph.ErrNoStore)
	require.ErrorIs(t, agentgraph.AnswerSeat(ctx, nil, "run", "q", "seat", toEveryone()), agentgraph.ErrNoStore)
	_, err = r.Run(ctx, "", nil)
	require.NoError(t, err)
}

// TestDamagedJournal: a record that is none of ours is [agentgraph.ErrCorrupt] for
// everybody, and stays what it is.
func TestDamagedJournal(t *testing.T) {
	ctx := context.Background()
	for _, data := range []string{`{"id":"x"}`, `[]`, `{"format":99}`, `{"given":{"put":1}}`} {
		store := agentgraph.NewMemStore()
		require.NoError(t, store.Append(ctx, "run", 0, agentgraph.Record{Kind: "attempt", Data: json.RawMessage(data)}))
		r := agentgraph.NewResumable("job", sets("a", 1), &agentgraph.ResumableOptions{Store: store})
		_, err := r.Run(ctx, "run", nil)
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		requireStepError(t, err, "")
		_, err = r.StepsRun(ctx, "run")
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		require.ErrorIs(t, agentgraph.Answer(ctx, store, "run", "q", 1), agentgraph.ErrCorrupt)
		require.NoError(t, store.Append(ctx, "run", 1), "nothing was added")
	}
}

// biting is a value whose marshaler goes wrong.
type biting struct{ do func() error }

func (b biting) MarshalJSON() ([]byte, error) { return []byte("1"), b.do() }

// TestMarshalersThatBite: what a marshaler of the caller's does comes as an error.
func TestMarshalersThatBite(t *testing.T) {
	for _, m := range mishaps {
		if m.name == "Goexit" {
			continue // ends the goroutine, wherever that is
		}
		t.Run(m.name, func(t *testing.T) {
			bad := biting{m.do}
			options := &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()}
			_, err := agentgraph.NewResumable("job", sets("a", 1), options).Run(context.Background(), "run", map[string]any{"in": bad})
			requireBite(t, m, err)
			for name, body := range map[string]func(*agentgraph.Step) error{
				"set":   func(s *agentgraph.Step) error { s.Set("x", bad); return nil },
				"input": func(s *agentgraph.Step) error { return s.Step("x", sets("y", 1), agentgraph.Input("x", bad)) },
				"ask":   func(s *agentgraph.Step) error { _, err := agentgraph.Ask[int](s, "x", bad); return err },
				"state": func(s *agentgraph.Step) error {
					return s.StepAgent(&mindful{name: "x", export: func() (any, error) { return bad, nil }})
				},
			} {
				_, err := agentgraph.NewResumable("job", body, options).Run(context.Background(), name, nil)
				requireBite(t, m, err)
			}
		})
	}
}

func requireBite(t *testing.T, m mishap, err error) {
	t.Helper()
	require.Error(t, err)
	m.check(t, err)
	require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), err.Error())
}

// mindful is an agent with a state, each part of which can be replaced.
type mindful struct {
	name   string
	state  int
	invoke func(ctx context.Context, in agentgraph.Artifacts) (agentgraph.Artifacts, error)
	export func() (any, error)
	take   func(json.RawMessage) error
	title  func() string
}

func (a *mindful) Name() string {
	if a.title != nil {
		return a.title()
	}
	return a.name
}

func (a *mindful) Invoke(ctx context.Context, in agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	a.state++
	if a.invoke != nil {
		return a.invoke(ctx, in)
	}
	return agentgraph.Artifacts{a.name: json.RawMessage(fmt.Sprint(a.state))}, nil
}

func (a *mindful) ExportState() (any, error) {
	if a.export != nil {
		return a.export()
	}
	return a.state, nil
}

func (a *mindful) ImportState(state json.RawMessage) error {
	if a.take != nil {
		return a.take(state)
	}
	return json.Unmarshal(state, &a.state)
}

// TestAgentMishaps: whatever goes wrong in an agent fails its step, and nothing of
// it is kept.
func TestAgentMishaps(t *testing.T) {
	for _, m := range mishaps {
		for name, agent := range map[string]*mindful{
			"Invoke": {name: "x", invoke: func(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
				return agentgraph.Artifacts{"lost": json.RawMessage("1")}, m.do()
			}},
			"Invoke with the state": {name: "x", invoke: func(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
				return nil, m.do()
			}, take: func(json.RawMessage) error { return m.do() }},
			"ExportState": {name: "x", export: func() (any, error) { return 1, m.do() }},
			"Name":        {title: func() string { _ = m.do(); panic(errOwn) }},
		} {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				if name == "Name" && m.name == "error" {
					return // Name has no error
				}
				before := runtime.NumGoroutine()
				r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					s.Go("beside", func(s *agentgraph.Step) error { return s.StepAgent(agent) })
					return s.Wait()
				}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
				result, err := r.Run(context.Background(), "run", nil)
				m.check(t, err)
				require.Empty(t, result.Artifacts)
				requireTidy(t, &yard{}, before)
			})
		}
	}
}

// TestStoreThatPanics: its panic is an error like others, and nobody waits for ever.
func TestStoreThatPanics(t *testing.T) {
	for at := 2; at <= 6; at++ {
		store := &brittle{Store: agentgraph.NewMemStore(), at: at}
		r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b", "c"} {
				s.Go(name, sets(name, 1))
			}
			if err := s.Wait(); err != nil {
				return err
			}
			return s.Step("d", sets("d", 1))
		}, &agentgraph.ResumableOptions{Store: store})
		done := make(chan error)
		go func() {
			defer func() {
				if v := recover(); v != nil {
					done <- fmt.Errorf("panic: %v", v)
				}
			}()
			_, err := r.Run(context.Background(), "run", nil)
			done <- err
		}()
		select {
		case err := <-done:
			if store.calls >= at {
				require.ErrorContains(t, err, "panic")
			}
		case <-time.After(time.Minute):
			t.Fatal("the run does not end")
		}
	}
}

// brittle is a store that panics at one of its appends.
type brittle struct {
	agentgraph.Store
	calls, at int
}

func (b *brittle) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if b.calls++; b.calls == b.at {
		panic("store")
	}
	return b.Store.Append(ctx, runID, after, records...)
}
