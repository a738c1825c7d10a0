package natsfleet_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

func TestRun(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	add := agentgraph.NewResumable("add", func(s *agentgraph.Step) error {
		a, err := agentgraph.Get[int](s, "a")
		if err != nil {
			return err
		}
		_, err = agentgraph.Do(s, "sum", func(context.Context) (int, error) { return a + 1, nil })
		return err
	}, nil)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, add)

	_, err := f.Wait(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	_, err = f.Status(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)

	require.NoError(t, f.Submit(ctx, "add", "run", map[string]any{"a": 1}))
	require.NoError(t, f.Submit(ctx, "add", "run", map[string]any{"a": 2}), "the same run")
	s, err := f.Status(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, natsfleet.Queued, s.State)
	require.Equal(t, "add", s.Flow)

	work(t, f, 2)
	require.Equal(t, agentgraph.Artifacts{"a": []byte("1"), "sum": []byte("2")}, settled(t, f, "run"))
	s, err = f.Status(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, natsfleet.Finished, s.State)
	require.Equal(t, 1, s.Run.Attempts)

	require.NoError(t, f.Submit(ctx, "add", "run", map[string]any{"a": 3}), "and still the same")
	require.Equal(t, "2", string(settled(t, f, "run")["sum"]))
	require.ErrorIs(t, f.Cancel(ctx, "run"), natsfleet.ErrSettled)
	require.ErrorIs(t, f.Retry(ctx, "run"), natsfleet.ErrSettled)
}

// TestOddNames: any run ID and any name of a flow is one.
func TestOddNames(t *testing.T) {
	t.Parallel()
	const name = "a flow/of.many *> =20words 🦊"
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Name: "odd_Name-1"}, flow(name, seven))
	work(t, f, 4)
	ids := []string{".", "*", ">", "a.b", "A", "a", "=", "=41", "../x", "🦊", " ", strings.Repeat("é", 256)}
	for _, id := range ids {
		require.NoError(t, f.Submit(within(t), name, id, nil))
	}
	for _, id := range ids {
		require.Equal(t, "7", string(settled(t, f, id)["result"]), id)
	}
}

// TestLongName: the longest name of a flow is one that can be worked on.
func TestLongName(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("/", 85)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow(name, seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(within(t), name, "run", nil))
	settled(t, f, "run")
}

func TestFailed(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var ill atomic.Bool
	ill.Store(true)
	var before atomic.Int64
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		if _, err := agentgraph.Do(s, "before", func(context.Context) (int64, error) { return before.Add(1), nil }); err != nil {
			return err
		}
		return s.Step("ill", func(s *agentgraph.Step) error {
			if ill.Load() {
				panic("boom")
			}
			return nil
		})
	}, nil))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	result, err := f.Wait(ctx, "run")
	var failure *natsfleet.RunError
	require.ErrorAs(t, err, &failure)
	require.ErrorIs(t, err, natsfleet.ErrFailed)
	require.EqualError(t, err, `agentgraph: run "run" of "flow": run failed: run "run", attempt 1, step "ill": panic: boom`)
	require.Equal(t, agentgraph.Artifacts{"before": []byte("1")}, result.Artifacts)
	require.Equal(t, natsfleet.Failed, status(t, f, "run", natsfleet.Failed).State)

	ill.Store(false)
	require.NoError(t, f.Retry(ctx, "run"))
	require.Equal(t, agentgraph.Artifacts{"before": []byte("1")}, settled(t, f, "run"))
	require.EqualValues(t, 1, before.Load())
}

// absent is an error that is there though its pointer is nil.
type absent struct{ text string }

func (e *absent) Error() string { return e.text }

// TestFailedWithoutAText: an error that panics when it is asked for its text fails its
// run, and no worker.
func TestFailedWithoutAText(t *testing.T) {
	t.Parallel()
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow("flow", func(context.Context) (int, error) { return 0, (*absent)(nil) }))
	work(t, f, 1)
	require.NoError(t, f.Submit(within(t), "flow", "run", nil))
	_, err := f.Wait(within(t), "run")
	require.EqualError(t, err, `agentgraph: run "run" of "flow": run failed: run "run", attempt 1, step "result": error without a text`)
}

func TestPassing(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	busy := errors.New("busy")
	var calls atomic.Int64
	often := flow("often", func(context.Context) (int, error) {
		if n := calls.Add(1); n < 3 {
			return 0, natsfleet.Passing(busy)
		}
		return 7, nil
	})
	always := flow("always", func(context.Context) (int, error) { return 0, natsfleet.Passing(busy) })
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{})
	require.NoError(t, f.Register(often, natsfleet.Backoff(time.Millisecond, time.Millisecond, 0)))
	require.NoError(t, f.Register(always, natsfleet.Backoff(time.Millisecond, time.Millisecond, 4)))
	work(t, f, 2)
	require.NoError(t, f.Submit(ctx, "often", "a", nil))
	require.NoError(t, f.Submit(ctx, "always", "b", nil))
	require.Equal(t, "7", string(settled(t, f, "a")["result"]))
	require.EqualValues(t, 3, calls.Load())
	s, err := f.Status(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, 2, s.Retries)
	require.Empty(t, s.Error)

	_, err = f.Wait(ctx, "b")
	require.ErrorIs(t, err, natsfleet.ErrFailed)
	require.ErrorContains(t, err, "busy")
	s, err = f.Status(ctx, "b")
	require.NoError(t, err)
	require.Equal(t, 4, s.Retries)
	require.Equal(t, 4, s.Run.Attempts)

	require.NoError(t, natsfleet.Passing(nil))
	require.ErrorIs(t, natsfleet.Passing(busy), busy)
	require.False(t, natsfleet.IsPassing(busy))
}

// TestBackoff: a run that is to be tried again later lets others pass.
func TestBackoff(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{})
	busy := agentgraph.NewResumable("busy", func(s *agentgraph.Step) error {
		if len(s.Artifacts()) > 0 {
			return nil
		}
		return natsfleet.Passing(errors.New("busy"))
	}, nil)
	require.NoError(t, f.Register(busy, natsfleet.Backoff(time.Hour, time.Hour, 0)))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "busy", "a", nil))
	status(t, f, "a", natsfleet.Retrying)
	for _, id := range []string{"b", "c"} { // the one place, which comes free when a is handed back
		require.NoError(t, f.Submit(ctx, "busy", id, map[string]any{"quiet": true}))
		settled(t, f, id)
	}
	s := status(t, f, "a", natsfleet.Retrying)
	require.Equal(t, 1, s.Retries)
	require.Equal(t, 1, s.Run.Attempts)
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	ask := agentgraph.NewResumable("ask", func(s *agentgraph.Step) error {
		for _, question := range []string{"one", "two"} {
			if _, err := agentgraph.Ask[int](s, question, question+"?"); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, ask, flow("other", seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "ask", "run", nil))
	s := status(t, f, "run", natsfleet.Waiting)
	require.Len(t, s.Questions, 1)
	require.Equal(t, "one", s.Questions[0].Step)

	require.NoError(t, f.Submit(ctx, "other", "else", nil))
	require.Equal(t, "7", string(settled(t, f, "else")["result"]), "who waits takes no place")

	require.ErrorIs(t, f.Answer(ctx, "run", "two", 2), agentgraph.ErrNoQuestion)
	require.NoError(t, f.Answer(ctx, "run", "one", 1))
	for {
		if s = status(t, f, "run", natsfleet.Waiting); s.Questions[0].Step == "two" {
			break
		}
	}
	require.NoError(t, agentgraph.Answer(ctx, f.Store(), "run", "two", 2), "by other ways too")
	require.Equal(t, agentgraph.Artifacts{"one": []byte("1"), "two": []byte("2")}, settled(t, f, "run"))
}

// TestSeat: a meeting waits at a seat, and goes on with what is posted there.
func TestSeat(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	r, err := agentgraph.ToRoster(agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("ask"), agentgraph.Vertex("clerk"), agentgraph.Vertex("boss")),
		agentgraph.Connect(agentgraph.Channels("say"), agentgraph.Vertex("boss"), agentgraph.Vertex("clerk")),
	), agentgraph.Registry[string]{
		"boss": agentgraph.External[string](),
		"clerk": agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
			if in.From == "boss" {
				return nil
			}
			return []agentgraph.Post[string]{{Body: in.Body + "?"}}
		})),
	})
	require.NoError(t, err)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, agentgraph.NewResumable("meet", func(s *agentgraph.Step) error {
		log, err := agentgraph.RunMeeting(s, "talk", r, []agentgraph.Post[string]{
			agentgraph.NewPost("host", []string{"say"}, "one"), agentgraph.NewPost("host", []string{"say"}, "two"),
		})
		if err == nil {
			s.Set("last", log[len(log)-1].Body)
		}
		return err
	}, nil))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "meet", "run", nil))
	questions := status(t, f, "run", natsfleet.Waiting).Questions
	require.Len(t, questions, 1)
	require.Equal(t, "boss", questions[0].Seat)
	require.NoError(t, agentgraph.AnswerSeat(ctx, f.Store(), "run", "talk", "boss", agentgraph.NewPost("", nil, "no")))
	require.Equal(t, `"no"`, string(settled(t, f, "run")["last"]))
}

// TestAnswers: however an answer meets the end of the attempt that asked, it is
// taken.
func TestAnswers(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	const rounds = 100
	ask := agentgraph.NewResumable("ask", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[int](s, "q", nil)
		return err
	}, nil)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Silence: time.Hour}, ask) // nothing is found by a worker being missed
	work(t, f, 4)
	for i := range rounds {
		id := time.Duration(i).String()
		require.NoError(t, f.Submit(ctx, "ask", id, nil))
		for err := error(agentgraph.ErrNoQuestion); err != nil; err = f.Answer(ctx, id, "q", i) {
			require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
		}
		require.Len(t, settled(t, f, id), 1)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	began := make(chan struct{})
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Silence: time.Hour}, flow("hang", func(ctx context.Context) (int, error) {
		close(began)
		<-ctx.Done()
		return 0, ctx.Err()
	}), flow("other", seven))
	require.NoError(t, f.Submit(ctx, "other", "queued", nil))
	require.NoError(t, f.Cancel(ctx, "queued"))
	_, err := f.Wait(ctx, "queued")
	require.ErrorIs(t, err, natsfleet.ErrCancelled)

	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "hang", "run", nil))
	<-began
	require.NoError(t, f.Cancel(ctx, "run"))
	require.NoError(t, f.Cancel(ctx, "run"))
	_, err = f.Wait(ctx, "run")
	require.ErrorIs(t, err, natsfleet.ErrCancelled)
	require.NoError(t, f.Submit(ctx, "other", "after", nil))
	settled(t, f, "after")
	s, err := f.Status(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, natsfleet.Cancelled, s.State)
	require.Equal(t, agentgraph.RunInterrupted, s.Run.Status)
	s, err = f.Status(ctx, "queued")
	require.NoError(t, err)
	require.Equal(t, agentgraph.RunNone, s.Run.Status)
}

// TestStop: a worker that stops hands its run back, and another goes on at once.
func TestStop(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var first atomic.Int64
	began := make(chan struct{}, 1)
	slow := agentgraph.NewResumable("slow", func(s *agentgraph.Step) error {
		n, err := agentgraph.Do(s, "first", func(context.Context) (int64, error) { return first.Add(1), nil })
		if err != nil {
			return err
		}
		_, err = agentgraph.Do(s, "second", func(ctx context.Context) (int64, error) {
			select {
			case began <- struct{}{}: // the first time it is to be stopped
				<-ctx.Done()
				return 0, ctx.Err()
			default:
				return n + 1, nil
			}
		})
		return err
	}, nil)
	srv := embedded(t)
	one := fleet(t, connect(t, srv), natsfleet.Options{Silence: time.Hour}, slow)
	two := fleet(t, connect(t, srv), natsfleet.Options{Silence: time.Hour}, slow)
	stop := work(t, one, 1)
	require.NoError(t, two.Submit(ctx, "slow", "run", nil))
	for len(began) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	require.Equal(t, natsfleet.Queued, status(t, two, "run", natsfleet.Queued).State)
	work(t, two, 1)
	require.Equal(t, agentgraph.Artifacts{"first": []byte("1"), "second": []byte("2")}, settled(t, two, "run"))
	require.EqualValues(t, 1, first.Load())
}

// TestGrace: a worker that stops lets its run finish.
func TestGrace(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	began, stopping := make(chan struct{}), make(chan struct{})
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Grace: time.Hour}, flow("slow", func(ctx context.Context) (int, error) {
		close(began)
		<-stopping
		return 7, ctx.Err()
	}))
	stop := work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "slow", "run", nil))
	<-began
	time.AfterFunc(100*time.Millisecond, func() { close(stopping) })
	stop()
	s, err := f.Status(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, natsfleet.Finished, s.State)
	require.Equal(t, 1, s.Run.Attempts)
}

// TestAtOnce: no more runs of a flow than allowed are worked on at once in the whole
// fleet, and those of others are.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	srv := embedded(t)
	var inside, most atomic.Int64
	narrow := flow("narrow", func(context.Context) (int, error) {
		n := inside.Add(1)
		defer inside.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		return 7, nil
	})
	var fleets []*natsfleet.Fleet
	for range 3 {
		f := fleet(t, connect(t, srv), natsfleet.Options{}, flow("wide", seven))
		require.NoError(t, f.Register(narrow, natsfleet.AtOnce(2)))
		work(t, f, 4)
		fleets = append(fleets, f)
	}
	for i := range 30 {
		require.NoError(t, fleets[0].Submit(ctx, "narrow", time.Duration(i).String(), nil))
	}
	require.NoError(t, fleets[0].Submit(ctx, "wide", "wide", nil))
	require.Equal(t, "7", string(settled(t, fleets[1], "wide")["result"]))
	for i := range 30 {
		settled(t, fleets[2], time.Duration(i).String())
	}
	require.EqualValues(t, 2, most.Load())
}

// TestPulse: a run that takes longer than the silence after which a worker is missed
// stays with its worker, which says that it is still at it.
func TestPulse(t *testing.T) {
	t.Parallel()
	srv := embedded(t)
	long := flow("long", func(context.Context) (int, error) {
		time.Sleep(2500 * time.Millisecond)
		return 7, nil
	})
	o := natsfleet.Options{Silence: time.Second}
	one := fleet(t, connect(t, srv), o, long)
	work(t, one, 1)
	work(t, fleet(t, connect(t, srv), o, long), 1)
	require.NoError(t, one.Submit(within(t), "long", "run", nil))
	settled(t, one, "run")
	s, err := one.Status(within(t), "run")
	require.NoError(t, err)
	require.Equal(t, 1, s.Run.Attempts)
}

// TestCancelled: a run that was cancelled stays so, however its flow ends.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{})
	ends := map[string]error{"well": nil, "ill": errors.New("ill"), "busy": natsfleet.Passing(errors.New("busy"))}
	began, release := make(chan struct{}), make(chan struct{})
	for name, end := range ends {
		require.NoError(t, f.Register(flow(name, func(context.Context) (int, error) {
			began <- struct{}{}
			<-release
			return 7, end
		})))
		require.NoError(t, f.Submit(ctx, name, name, nil))
	}
	stop := work(t, f, len(ends))
	for range ends {
		<-began
	}
	for name := range ends {
		require.NoError(t, f.Cancel(ctx, name))
	}
	close(release)
	stop()
	for name := range ends {
		_, err := f.Wait(ctx, name)
		require.ErrorIs(t, err, natsfleet.ErrCancelled)
		s, err := f.Status(ctx, name)
		require.NoError(t, err)
		require.Zero(t, s.Retries)
		require.Empty(t, s.Error)
	}
}

// TestAfterwards: what somebody does to a run that finished does not change what it
// came to.
func TestAfterwards(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow("flow", seven))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
	late := agentgraph.NewResumable("flow", func(*agentgraph.Step) error { return errors.New("ill") }, nil)
	_, err := late.On(f.Store()).Run(ctx, "run", nil)
	require.ErrorContains(t, err, "ill")
	require.Equal(t, "7", string(settled(t, f, "run")["result"]))
}

// TestRetry: however soon a run is tried again after it was settled, it is.
func TestRetry(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	var calls atomic.Int64
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Silence: time.Hour}, flow("odd", func(context.Context) (int, error) {
		if calls.Add(1)%2 == 1 {
			return 0, errors.New("odd")
		}
		return 7, nil
	}))
	work(t, f, 1)
	for i := range 50 {
		id := strings.Repeat("x", i+1)
		require.NoError(t, f.Submit(ctx, "odd", id, nil))
		_, err := f.Wait(ctx, id)
		require.ErrorIs(t, err, natsfleet.ErrFailed)
		require.NoError(t, f.Retry(ctx, id))
		settled(t, f, id)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow("flow", seven))
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	require.ErrorIs(t, f.Forget(ctx, "run"), natsfleet.ErrNotSettled)
	require.ErrorIs(t, f.Forget(ctx, "none"), agentgraph.ErrNoRun)
	work(t, f, 1)
	settled(t, f, "run")
	require.NoError(t, f.Forget(ctx, "run"))
	_, err := f.Wait(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	info, err := agentgraph.Inspect(ctx, f.Store(), "run")
	require.NoError(t, err)
	require.Equal(t, agentgraph.RunNone, info.Status)
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	settled(t, f, "run")
}

// TestTidy: a worker that has stopped leaves no goroutine behind. The first time the
// server and the connection get those that they keep.
func TestTidy(t *testing.T) {
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow("flow", seven), flow("other", seven))
	once := func(id string) {
		stop := work(t, f, 3)
		for _, name := range []string{"flow", "other"} {
			require.NoError(t, f.Submit(ctx, name, name+id, nil))
			settled(t, f, name+id)
		}
		stop()
	}
	once("0")
	before := runtime.NumGoroutine()
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		once(id)
	}
	for runtime.NumGoroutine() > before+4 { // a leak would be five at least
		require.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
	}
}

// TestLateAnswer: an answer comes just after the worker has looked for one, and
// before it gives up the message.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	store := &lateStore{Store: agentgraph.NewMemStore(), looked: make(chan struct{}), answered: make(chan struct{})}
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{Store: store}, agentgraph.NewResumable("ask", func(s *agentgraph.Step) error {
		_, err := agentgraph.Ask[int](s, "q", nil)
		return err
	}, nil))
	work(t, f, 1)
	require.NoError(t, f.Submit(ctx, "ask", "run", nil))
	<-store.looked
	go func() {
		time.Sleep(100 * time.Millisecond) // the answer is in, and its message refused
		close(store.answered)
	}()
	require.NoError(t, f.Answer(ctx, "run", "q", 1))
	require.Equal(t, "1", string(settled(t, f, "run")["q"]))
}

// lateStore holds up the first reader of a journal that has ended.
type lateStore struct {
	agentgraph.Store
	once             atomic.Bool
	looked, answered chan struct{}
}

func (l *lateStore) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		var last string
		for r, err := range l.Store.Read(ctx, runID, after) {
			if last = r.Kind; !yield(r, err) {
				return
			}
		}
		if last == "end" && l.once.CompareAndSwap(false, true) {
			close(l.looked)
			<-l.answered
		}
	}
}

// TestDamaged: a run whose journal makes no sense fails, and says why.
func TestDamaged(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	f := fleet(t, connect(t, embedded(t)), natsfleet.Options{}, flow("flow", seven))
	require.NoError(t, f.Store().Append(ctx, "run", 0, agentgraph.Record{Kind: "attempt", Data: []byte(`{"format":"x"}`)}))
	require.NoError(t, f.Submit(ctx, "flow", "run", nil))
	work(t, f, 1)
	for {
		s, err := f.Status(ctx, "run")
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		if s.State == natsfleet.Failed {
			require.Contains(t, s.Error, "journal is damaged")
			return
		}
	}
}
