package agentgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// handleUse is something that is done with a handle, and how it says that this was
// wrong; nil where only the step at fault says it.
type handleUse struct {
	name string
	do   func(s *agentgraph.Step) error
	says bool
}

var handleUses = []handleUse{
	{"Set", func(s *agentgraph.Step) error { s.Set("stray", 1); return nil }, false},
	{"Delete", func(s *agentgraph.Step) error { s.Delete("kept"); return nil }, false},
	{"Artifacts", func(s *agentgraph.Step) error { _ = s.Artifacts(); return nil }, false},
	{"Get", func(s *agentgraph.Step) error { _, err := agentgraph.Get[int](s, "kept"); return err }, true},
	{"Step", func(s *agentgraph.Step) error { return s.Step("stray", sets("stray", 1)) }, true},
	{"StepAgent", func(s *agentgraph.Step) error { return s.StepAgent(&mindful{name: "stray"}) }, true},
	{"Do", func(s *agentgraph.Step) error {
		_, err := agentgraph.Do(s, "stray", func(context.Context) (int, error) { return 1, nil })
		return err
	}, true},
	{"Ask", func(s *agentgraph.Step) error { _, err := agentgraph.Ask[int](s, "stray", 1); return err }, true},
	{"RunMeeting", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting[string](s, "stray", nil, inputs("stray"))
		return err
	}, true},
	{"Go", func(s *agentgraph.Step) error { s.Go("stray", sets("stray", 1)); return nil }, false},
	{"Wait", func(s *agentgraph.Step) error { return s.Wait() }, true},
	{"Invoke", func(s *agentgraph.Step) error {
		_, err := agentgraph.NewResumable("stray", sets("stray", 1), nil).Invoke(s.Context(), agentgraph.Artifacts{})
		return err
	}, true},
}

// requireUse uses a handle wrongly and checks what it says.
func requireUse(t *testing.T, u handleUse, s *agentgraph.Step, want error) {
	t.Helper()
	err := u.do(s)
	if u.says {
		require.ErrorIs(t, err, want)
	} else {
		require.NoError(t, err)
	}
}

// TestClosedHandle: a handle that is used after its body fails the step that does
// so, and changes nothing.
func TestClosedHandle(t *testing.T) {
	for _, u := range handleUses {
		for _, runID := range []string{"", "run"} {
			t.Run(u.name+"/"+runID, func(t *testing.T) {
				var old *agentgraph.Step
				r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
					if err := s.Step("first", func(s *agentgraph.Step) error { old = s; s.Set("kept", 1); return nil }); err != nil {
						return err
					}
					_ = s.Step("at fault", func(*agentgraph.Step) error { requireUse(t, u, old, agentgraph.ErrStepClosed); return nil })
					return s.Step("last", func(*agentgraph.Step) error { return nil })
				}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
				result, err := r.Run(context.Background(), runID, nil)
				require.NoError(t, err)
				require.Equal(t, `first executed, at fault error "agentgraph: step \"first\": step is over", last executed`, tellSteps(result.Steps))
				require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)

				requireUse(t, u, old, agentgraph.ErrStepClosed) // after the run
				require.Equal(t, `first executed, at fault error "agentgraph: step \"first\": step is over", last executed`, tellSteps(result.Steps))
			})
		}
	}
}

// TestHandleAfterTheRun: that of the run itself.
func TestHandleAfterTheRun(t *testing.T) {
	for _, u := range handleUses {
		var old *agentgraph.Step
		store := agentgraph.NewMemStore()
		r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error { old = s; s.Set("kept", 1); return nil }, &agentgraph.ResumableOptions{Store: store})
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		before := told(t, store)
		requireUse(t, u, old, agentgraph.ErrStepClosed)
		require.Empty(t, result.Steps)
		require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)
		require.Equal(t, before, told(t, store))
		require.ErrorIs(t, old.Context().Err(), context.Canceled)
	}
}

// TestHandleOfTheParent: used in the body of a child it fails the child.
func TestHandleOfTheParent(t *testing.T) {
	for _, u := range handleUses {
		t.Run(u.name, func(t *testing.T) {
			const fault = `"agentgraph: the handle of the run was used while step \"a\" is open: use the handle that the body of the open step is given"`
			r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				s.Set("kept", 1)
				err := s.Step("a", func(a *agentgraph.Step) error {
					a.Set("lost", 1)
					return a.Step("b", func(*agentgraph.Step) error { requireUse(t, u, s, agentgraph.ErrWrongStep); return nil })
				})
				require.ErrorIs(t, err, agentgraph.ErrWrongStep)
				return nil
			}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
			result, err := r.Run(context.Background(), "run", nil)
			require.NoError(t, err)
			require.Equal(t, "a error "+fault+" (b error "+fault+")", tellSteps(result.Steps))
			require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)
			requireTold(t, r, "run", result)
		})
	}
}

// TestHandleOfAnAgentsStep: as long as a Resumable works as an agent, the handle of
// the step that hosts it is not to be used.
func TestHandleOfAnAgentsStep(t *testing.T) {
	for _, u := range handleUses {
		t.Run(u.name, func(t *testing.T) {
			var host *agentgraph.Step
			guest := agentgraph.NewResumable("guest", func(s *agentgraph.Step) error {
				return s.Step("in", func(*agentgraph.Step) error { requireUse(t, u, host, agentgraph.ErrWrongStep); return nil })
			}, nil)
			r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				return s.Step("host", func(s *agentgraph.Step) error {
					host = s
					_, err := guest.Invoke(s.Context(), s.Artifacts())
					return err
				})
			}, nil)
			result, err := r.Run(context.Background(), "", map[string]any{"kept": 1})
			require.ErrorIs(t, err, agentgraph.ErrWrongStep)
			requireStepError(t, err, "host/in")
			require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)
		})
	}
}

// slow is a store whose appends wait for somebody after the first.
type slow struct {
	agentgraph.Store
	calls   int
	at      int
	entered chan struct{}
	proceed chan struct{}
}

func newSlow(at int) *slow {
	return &slow{Store: agentgraph.NewMemStore(), at: at, entered: make(chan struct{}), proceed: make(chan struct{})}
}

func (s *slow) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	if s.calls++; s.calls == s.at {
		close(s.entered)
		<-s.proceed
	}
	return s.Store.Append(ctx, runID, after, records...)
}

// TestHandleWhileItsOutcomeIsWritten: the body is over by then, and what becomes
// durable is what the run goes on with.
func TestHandleWhileItsOutcomeIsWritten(t *testing.T) {
	for _, u := range handleUses {
		t.Run(u.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			store := newSlow(2)
			var inner *agentgraph.Step
			r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				return s.Step("a", func(s *agentgraph.Step) error { inner = s; s.Set("kept", 1); return nil })
			}, &agentgraph.ResumableOptions{Store: store})
			go func() {
				<-store.entered
				defer close(store.proceed)
				requireUse(t, u, inner, agentgraph.ErrStepClosed)
			}()
			result, err := r.Run(context.Background(), "run", nil)
			require.ErrorIs(t, err, agentgraph.ErrStepClosed, "it fails the one around it, whose time it is")
			require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)
			require.Equal(t, "a executed", tellSteps(result.Steps))

			again := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				return s.Step("a", func(*agentgraph.Step) error { return errOwn })
			}, &agentgraph.ResumableOptions{Store: store})
			result, err = again.Run(context.Background(), "run", nil)
			require.NoError(t, err)
			require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)
			requireTidy(t, &yard{}, before)
		})
	}
}

// TestHandleInManyGoroutines: using one handle at once is an error or is none, but
// never a race, and what a run returns is what the next one finds.
func TestHandleInManyGoroutines(t *testing.T) {
	for round := range 30 {
		store := agentgraph.NewMemStore()
		body := func(s *agentgraph.Step) error {
			return s.Step("a", func(s *agentgraph.Step) error {
				var wg sync.WaitGroup
				defer wg.Wait()
				for i := range 6 {
					u := handleUses[(round+i*5)%len(handleUses)]
					wg.Go(func() { _ = u.do(s) })
				}
				return s.Step("b", sets("b", 1))
			})
		}
		r := agentgraph.NewResumable("job", body, &agentgraph.ResumableOptions{Store: store})
		before := runtime.NumGoroutine()
		result, err := r.Run(context.Background(), "run", nil)
		requireTold(t, r, "run", result)
		requireTidy(t, &yard{}, before)
		if err != nil {
			continue
		}
		again, err := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			return s.Step("a", func(*agentgraph.Step) error { return errOwn })
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, result.Artifacts, again.Artifacts)
	}
}

// TestZeroExtra: it is none.
func TestZeroExtra(t *testing.T) {
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		if err := s.Step("a", sets("x", 1), agentgraph.Extra{}); err != nil {
			return err
		}
		s.Go("b", sets("y", 1), agentgraph.Extra{}, agentgraph.Input("z", 1), agentgraph.Input("z", 2))
		return s.Wait()
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
	result, err := r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Nil(t, result.Steps[0].ExtraInputArtifacts)
	require.Equal(t, agentgraph.Artifacts{"z": json.RawMessage("2")}, result.Steps[1].ExtraInputArtifacts)
	require.Equal(t, agentgraph.Artifacts{"x": json.RawMessage("1"), "y": json.RawMessage("1")}, result.Artifacts)
}

// TestResumableInsideItself: as an agent of itself it goes on in its own steps; run
// inside itself it is another run, or takes its own run away.
func TestResumableInsideItself(t *testing.T) {
	store := agentgraph.NewMemStore()
	var r *agentgraph.Resumable
	r = agentgraph.NewResumable("deeper", func(s *agentgraph.Step) error {
		n, err := agentgraph.Get[int](s, "n")
		if err != nil || n == 0 {
			return err
		}
		s.Set("n", n-1)
		return s.StepAgent(r)
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := r.Run(context.Background(), "run", map[string]any{"n": 3})
	require.NoError(t, err)
	require.Equal(t, "deeper executed (deeper executed (deeper executed))", tellSteps(result.Steps))
	requireTold(t, r, "run", result)

	var runs int
	own := agentgraph.NewResumable("own", nil, nil)
	body := func(s *agentgraph.Step) error {
		return s.Step("a", func(s *agentgraph.Step) error {
			if runs++; runs > 1 {
				s.Set("winner", true)
				return nil
			}
			result, err := own.Run(s.Context(), "own", nil)
			require.NoError(t, err)
			require.Equal(t, json.RawMessage("true"), result.Artifacts["winner"])
			require.NoError(t, s.Context().Err(), "it learns of it when it writes")
			return nil
		})
	}
	*own = *agentgraph.NewResumable("own", body, &agentgraph.ResumableOptions{Store: store})
	result, err = own.Run(context.Background(), "own", nil)
	require.ErrorIs(t, err, agentgraph.ErrRunTaken)
	requireStepError(t, err, "a")
	require.Empty(t, result.Artifacts)
	steps, err := own.StepsRun(context.Background(), "own")
	require.NoError(t, err)
	require.Len(t, steps, 2)
	require.Equal(t, "a executed", tellSteps(steps[1]))
}

// TestResumableUsedAtOnce: runs of one Resumable do not meet.
func TestResumableUsedAtOnce(t *testing.T) {
	store := agentgraph.NewMemStore()
	inner := agentgraph.NewResumable("inner", func(s *agentgraph.Step) error {
		n, err := agentgraph.Get[int](s, "n")
		if err != nil {
			return err
		}
		return s.Step("double", sets("twice", 2*n))
	}, nil)
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		for i := range 3 {
			s.Go("at once", func(s *agentgraph.Step) error {
				if err := s.StepAgent(inner, agentgraph.Input("n", i)); err != nil {
					return err
				}
				v, err := agentgraph.Get[int](s, "twice")
				s.Delete("twice")
				s.Delete("n")
				s.Set(fmt.Sprint("out", i), v)
				return err
			})
		}
		return s.Wait()
	}, &agentgraph.ResumableOptions{Store: store})
	before := runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			runID := fmt.Sprint("run", i)
			for range 2 {
				result, err := r.Run(context.Background(), runID, map[string]any{"id": i})
				require.NoError(t, err)
				for j := range 3 {
					require.Equal(t, fmt.Sprint(2*j), string(result.Artifacts[fmt.Sprint("out", j)]))
				}
				require.Equal(t, fmt.Sprint(i), string(result.Artifacts["id"]))
				requireTold(t, r, runID, result)
			}
		})
	}
	wg.Wait()
	requireTidy(t, &yard{}, before)
}

// TestAgentInTwoSteps: an agent with a state that two steps use at once is
// [agentgraph.ErrAgentBusy] in one of them, whichever comes first.
func TestAgentInTwoSteps(t *testing.T) {
	for _, first := range []string{"go", "caller"} {
		t.Run(first, func(t *testing.T) {
			begun, end := make(chan struct{}), make(chan struct{})
			agent := &mindful{name: "x"}
			agent.invoke = func(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
				close(begun)
				<-end
				return nil, nil
			}
			r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				holder := func(s *agentgraph.Step) error { return s.StepAgent(agent) }
				late := func(s *agentgraph.Step) error {
					<-begun
					defer close(end)
					err := s.StepAgent(agent)
					require.ErrorIs(t, err, agentgraph.ErrAgentBusy)
					require.ErrorContains(t, err, `"x"`)
					return nil
				}
				if first == "go" {
					s.Go("a", holder)
					_ = late(s)
				} else {
					s.Go("a", late)
					require.NoError(t, holder(s))
				}
				if err := s.Wait(); err != nil {
					return err
				}
				agent.invoke = nil
				return s.StepAgent(agent) // it is free again
			}, nil)
			_, err := r.Run(context.Background(), "", nil)
			require.NoError(t, err)
			require.Equal(t, 2, agent.state)
		})
	}
}

// TestAgentInTwoStepsStartedWithGo: the second is refused however the two meet, and
// which error Wait gives does not depend on it.
func TestAgentInTwoStepsStartedWithGo(t *testing.T) {
	for range 50 {
		agent := &mindful{name: "x"}
		r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b"} {
				s.Go(name, func(s *agentgraph.Step) error { return s.StepAgent(agent) })
			}
			err := s.Wait()
			require.ErrorIs(t, err, agentgraph.ErrAgentBusy)
			require.Zero(t, agent.state, "its state is what it was")
			return s.StepAgent(agent)
		}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, 1, agent.state)
		require.Equal(t, agentgraph.Artifacts{"x": json.RawMessage("1")}, result.Artifacts)
	}
}

// TestCancelledRun: before, in and after a step; the next run goes on from there.
func TestCancelledRun(t *testing.T) {
	for _, when := range []string{"before", "in a step", "at the end of a step", "between", "at once", "after"} {
		t.Run(when, func(t *testing.T) {
			before := runtime.NumGoroutine()
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			if when == "before" {
				cancel(errOwn)
			}
			calls := map[string]int{}
			store := agentgraph.NewMemStore()
			body := func(s *agentgraph.Step) error {
				err := s.Step("a", func(s *agentgraph.Step) error {
					calls["a"]++
					s.Set("a", 1)
					switch when {
					case "in a step":
						cancel(errOwn)
						<-s.Context().Done()
						return context.Cause(s.Context())
					case "at the end of a step":
						cancel(errOwn)
					}
					return nil
				})
				if err != nil {
					return err
				}
				if when == "between" {
					cancel(errOwn)
				}
				if when == "at once" {
					s.Go("w", func(s *agentgraph.Step) error { <-s.Context().Done(); return context.Cause(s.Context()) })
					s.Go("v", func(*agentgraph.Step) error { cancel(errOwn); return nil })
				}
				if err := s.Step("b", func(s *agentgraph.Step) error { calls["b"]++; s.Set("b", 1); return nil }); err != nil {
					return err
				}
				if when == "after" {
					cancel(errOwn)
				}
				return s.Wait()
			}
			r := agentgraph.NewResumable("job", body, &agentgraph.ResumableOptions{Store: store})
			result, err := r.Run(ctx, "run", nil)
			if when == "after" {
				require.NoError(t, err)
			} else if when == "before" {
				require.ErrorIs(t, err, context.Canceled)
			} else {
				require.ErrorIs(t, err, errOwn)
			}
			if err != nil {
				require.Regexp(t, "^agentgraph: ", err.Error())
			}
			if when != "before" {
				requireTold(t, r, "run", result)
			}
			requireTidy(t, &yard{}, before)

			last := when
			when = ""
			result, err = r.Run(context.Background(), "run", nil)
			require.NoError(t, err)
			require.Equal(t, agentgraph.Artifacts{"a": json.RawMessage("1"), "b": json.RawMessage("1")}, result.Artifacts)
			want := map[string]int{"a": 1, "b": 1}
			if last == "in a step" {
				want["a"] = 2
			}
			require.Equal(t, want, calls)
			requireTidy(t, &yard{}, before)
		})
	}
}

// TestDeadline: the context's error is told as it is.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	_, err := agentgraph.NewResumable("job", func(s *agentgraph.Step) error { return s.Step("a", sets("a", 1)) }, nil).Run(ctx, "", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireStepError(t, err, "")
}
