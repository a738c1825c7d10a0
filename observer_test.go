package agentgraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// witness writes down what an observer is told, each with what it is in.
type witness struct {
	mu    sync.Mutex
	lines []string
}

type placeKey struct{}

func within(ctx context.Context) string {
	at, _ := ctx.Value(placeKey{}).(string)
	return at
}

func (w *witness) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *witness) take() []string {
	lines := w.lines
	w.lines = nil
	return lines
}

func (w *witness) observer() *agentgraph.Observer {
	what := func(e agentgraph.Event) string {
		return strings.TrimRight(fmt.Sprintf("%s %s", e.Kind, e.Step), " ")
	}
	return &agentgraph.Observer{
		Begin: func(ctx context.Context, e agentgraph.Event) context.Context {
			w.note("begin %s in %q", what(e), within(ctx))
			return context.WithValue(ctx, placeKey{}, what(e))
		},
		End: func(ctx context.Context, e agentgraph.Event) {
			w.note("end %s: %s %v", within(ctx), e.Status, e.Err)
		},
		Skipped: func(ctx context.Context, e agentgraph.Event) {
			w.note("skip %s in %q: %s %s %d", what(e), within(ctx), e.Status, e.Agent, e.Turn)
		},
	}
}

func TestObserver(t *testing.T) {
	w, store := &witness{}, agentgraph.NewMemStore()
	fault := errors.New("boom")
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		require.Equal(t, "attempt", within(s.Context()))
		err := s.Step("a", func(s *agentgraph.Step) error {
			require.Equal(t, "step a", within(s.Context()))
			return s.Step("b", func(*agentgraph.Step) error { return nil })
		})
		if err != nil {
			return err
		}
		return s.Step("c", func(*agentgraph.Step) error { return fault })
	}, &agentgraph.ResumableOptions{Store: store, Observer: w.observer()})

	_, err := r.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, fault)
	require.Equal(t, []string{
		`begin run in ""`,
		`begin attempt in "run"`,
		`begin step a in "attempt"`,
		`begin step a/b in "step a"`,
		`end step a/b: executed <nil>`,
		`end step a: executed <nil>`,
		`begin step c in "attempt"`,
		`end step c: error boom`,
		`end attempt: error boom`,
		`end run: error boom`,
	}, w.take())

	fault = nil
	_, err = r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		`begin run in ""`,
		`begin attempt in "run"`,
		`skip step a in "attempt": cached  0`,
		`begin step c in "attempt"`,
		`end step c: executed <nil>`,
		`end attempt: executed <nil>`,
		`end run: executed <nil>`,
	}, w.take())
}

func TestObserverEvents(t *testing.T) {
	var events []agentgraph.Event
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		return s.Step("a/b", func(s *agentgraph.Step) error { return nil })
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore(), Observer: &agentgraph.Observer{
		End: func(_ context.Context, e agentgraph.Event) { events = append(events, e) },
	}})
	_, err := r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, []agentgraph.Event{
		{Kind: agentgraph.EventStep, Resumable: "r", RunID: "run", Attempt: 1, Name: "a/b", Step: "a%2Fb", Index: []int{0}, Status: agentgraph.StatusExecuted},
		{Kind: agentgraph.EventAttempt, Resumable: "r", RunID: "run", Attempt: 1, Status: agentgraph.StatusExecuted},
		{Kind: agentgraph.EventRun, Resumable: "r", RunID: "run", Attempt: 1, Status: agentgraph.StatusExecuted},
	}, events)
}

func TestObserverWithoutAnAttempt(t *testing.T) {
	w := &witness{}
	r := agentgraph.NewResumable("r", func(*agentgraph.Step) error { return nil }, &agentgraph.ResumableOptions{Observer: w.observer()})
	_, err := r.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrNoStore)
	lines := w.take()
	require.Len(t, lines, 2)
	require.Equal(t, `begin run in ""`, lines[0])
	require.Contains(t, lines[1], "end run: error ")
}

func TestObserverOfStepsAtOnce(t *testing.T) {
	w := &witness{}
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		for range 3 {
			s.Go("x", func(s *agentgraph.Step) error { return nil })
		}
		return s.Wait()
	}, &agentgraph.ResumableOptions{Observer: w.observer()})
	_, err := r.Run(context.Background(), "", nil)
	require.NoError(t, err)
	lines := w.take()
	slices.Sort(lines)
	require.Equal(t, []string{
		`begin attempt in "run"`, `begin run in ""`,
		`begin step x in "attempt"`, `begin step x#1 in "attempt"`, `begin step x#2 in "attempt"`,
		`end attempt: executed <nil>`, `end run: executed <nil>`,
		`end step x#1: executed <nil>`, `end step x#2: executed <nil>`, `end step x: executed <nil>`,
	}, lines)
}

// TestObserverOfBadSteps: what fails before its body is told as well, and so is
// what leaves without returning.
func TestObserverOfBadSteps(t *testing.T) {
	w := &witness{}
	run := func(input any, body func(*agentgraph.Step) error) {
		r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			return s.Step("a", body, agentgraph.Input("x", input))
		}, &agentgraph.ResumableOptions{Observer: w.observer()})
		_, _ = r.Run(context.Background(), "", nil)
	}
	run(make(chan int), func(*agentgraph.Step) error { return nil })
	lines := w.take()
	require.Equal(t, `begin step a in "attempt"`, lines[2])
	require.Contains(t, lines[3], "end step a: error ")

	done := make(chan struct{})
	go func() {
		defer close(done)
		run(1, func(*agentgraph.Step) error { runtime.Goexit(); return nil })
	}()
	<-done
	lines = w.take()
	require.Len(t, lines, 6)
	for i, what := range []string{"end step a: error ", "end attempt: error ", "end run: error "} {
		require.Contains(t, lines[3+i], what)
	}
}

func TestObserverOfMeetings(t *testing.T) {
	w, store := &witness{}, agentgraph.NewMemStore()
	roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"ask", "human", "tell"}, "c"), agentgraph.Registry[string]{
		"ask": agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
			return []agentgraph.Post[string]{{Body: in.Body}}
		})),
		"human": agentgraph.External[string](), "tell": agentgraph.Atomic(agentgraph.Each(func(agentgraph.Post[string]) []agentgraph.Post[string] { return nil })),
	})
	require.NoError(t, err)
	roster = roster.Use(func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent agentgraph.Name, in agentgraph.Post[string]) ([]agentgraph.Post[string], error) {
			w.note("turn of %s in %q", agent, within(ctx))
			return next(ctx, agent, in)
		}
	})
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, []agentgraph.Post[string]{agentgraph.NewPost("u", []string{"*"}, "hi")})
		return err
	}, &agentgraph.ResumableOptions{Store: store, Observer: w.observer()})
	_, err = r.Run(context.Background(), "run", nil)
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	lines := w.take()
	require.Equal(t, []string{`begin step meet in "attempt"`, `turn of ask in "step meet"`, `turn of tell in "step meet"`}, lines[2:5])
	require.Contains(t, lines[5], "end step meet: waiting ")
	require.Contains(t, lines[6], "end attempt: waiting ")

	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "meet", "human", agentgraph.Post[string]{Body: "yes"}))
	_, err = r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		`skip turn meet in "step meet": cached ask 0`,
		`skip turn meet in "step meet": cached tell 0`,
		`turn of tell in "step meet"`,
		`end step meet: executed <nil>`,
	}, w.take()[3:7])

	_, err = r.Run(context.Background(), "run", nil)
	require.NoError(t, err)
	require.Equal(t, []string{`skip step meet in "attempt": cached  0`}, w.take()[2:3])
}

// TestObserverFails: nothing that an observer does changes a run.
func TestObserverFails(t *testing.T) {
	var told bytes.Buffer
	fails := func(context.Context, agentgraph.Event) { panic("observer") }
	observer := &agentgraph.Observer{
		Begin:   func(ctx context.Context, e agentgraph.Event) context.Context { fails(ctx, e); return nil },
		End:     fails,
		Skipped: fails,
	}
	store := agentgraph.NewMemStore()
	for range 2 {
		r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			require.NoError(t, s.Context().Err())
			return s.Step("a", func(s *agentgraph.Step) error { s.Set("x", 1); return s.Context().Err() })
		}, &agentgraph.ResumableOptions{Store: store, Observer: observer, Logger: slog.New(slog.NewTextHandler(&told, nil))})
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.JSONEq(t, "1", string(result.Artifacts["x"]))
	}
	require.Equal(t, 6+5, strings.Count(told.String(), `msg="observer failed"`))

	empty := &agentgraph.Observer{Begin: func(context.Context, agentgraph.Event) context.Context { return nil }}
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		return s.Step("a", func(s *agentgraph.Step) error { return s.Context().Err() })
	}, &agentgraph.ResumableOptions{Observer: empty})
	_, err := r.Run(context.Background(), "", nil)
	require.NoError(t, err)
}

func ExampleObserver() {
	r := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
		return s.Step("plan", func(s *agentgraph.Step) error { return nil })
	}, &agentgraph.ResumableOptions{Observer: &agentgraph.Observer{
		End: func(_ context.Context, e agentgraph.Event) { fmt.Println(e.Kind, e.Step, e.Status) },
	}})
	_, _ = r.Run(context.Background(), "", nil)
	// Output:
	// step plan executed
	// attempt  executed
	// run  executed
}
