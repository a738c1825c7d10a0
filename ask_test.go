package agentgraph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestAskAgain: an answer that does not fit is none, and whoever asks sees why.
func TestAskAgain(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	days := 0
	r := agentgraph.NewResumable("holiday", func(s *agentgraph.Step) (err error) {
		days, err = agentgraph.Ask[int](s, "days", "How many?")
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	waits := func(refused string) {
		t.Helper()
		_, err := r.Run(ctx, "run", nil)
		var waiting *agentgraph.WaitingError
		require.ErrorAs(t, err, &waiting)
		want := []agentgraph.Question{{Step: "days", Question: []byte(`"How many?"`), Wants: "number", Refused: refused}}
		require.Equal(t, want, waiting.Questions)
		open, err := agentgraph.Questions(ctx, store, "run")
		require.NoError(t, err)
		require.Equal(t, want, open)
	}
	waits("")
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "days", "many"))
	waits(`the answer "many" does not fit: json: cannot unmarshal string into Go value of type int`)
	waits(`the answer "many" does not fit: json: cannot unmarshal string into Go value of type int`)
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "days", 3))
	open, err := agentgraph.Questions(ctx, store, "run")
	require.NoError(t, err)
	require.Empty(t, open)
	_, err = r.Run(ctx, "run", nil)
	require.NoError(t, err)
	require.Equal(t, 3, days)
	require.ErrorIs(t, agentgraph.Answer(ctx, store, "run", "days", 4), agentgraph.ErrNoQuestion)
}

// TestAnswerToNoRun says that it is the run that is not there.
func TestAnswerToNoRun(t *testing.T) {
	store, ctx := agentgraph.NewMemStore(), context.Background()
	err := agentgraph.Answer(ctx, store, "run", "days", 3)
	require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	require.EqualError(t, err, `agentgraph: run "run", step "days": nothing is asked there: no such run`)
	err = agentgraph.AnswerSeat(ctx, store, "run", "talk", "ann", agentgraph.NewPost("", nil, 3))
	require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
}

func TestResume(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	bodies := 0
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		return s.Step("a", func(*agentgraph.Step) error { bodies++; return nil })
	}, &agentgraph.ResumableOptions{Store: store})
	result, err := r.Resume(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrNoRun)
	require.NotNil(t, result)
	_, err = r.Run(ctx, "run", map[string]any{"x": 1, "big": "0123456789012345678901234567890123456789012345678901234567890123456789"})
	require.NoError(t, err)
	result, err = r.Resume(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, 1, bodies)
	require.JSONEq(t, "1", string(result.Artifacts["x"]))

	other := agentgraph.NewResumable("other", func(*agentgraph.Step) error { bodies++; return nil }, &agentgraph.ResumableOptions{Store: store})
	result, err = other.Resume(ctx, "run")
	require.ErrorIs(t, err, agentgraph.ErrOtherWork)
	require.EqualError(t, err, `agentgraph: run "run": run is of other work: it is of "flow", not of "other"`)
	require.NotNil(t, result)
	info, err := agentgraph.Inspect(ctx, store, "run")
	require.NoError(t, err)
	require.Equal(t, 2, info.Attempts, "nothing was begun")
	_, err = other.Run(ctx, "run", nil) // a new name for old work
	require.NoError(t, err)
	_, err = other.Resume(ctx, "run")
	require.NoError(t, err)
	require.Equal(t, 3, bodies)
}

// TestDurableWhenStepReturns: the outcome of a step is in the store before its
// caller goes on.
func TestDurableWhenStepReturns(t *testing.T) {
	store := agentgraph.NewMemStore()
	ctx := context.Background()
	r := agentgraph.NewResumable("flow", func(s *agentgraph.Step) error {
		for i := range 3 {
			if err := s.Step("a", sets("x", i)); err != nil {
				return err
			}
			info, err := agentgraph.Inspect(ctx, store, "run")
			require.NoError(t, err)
			require.Equal(t, i+1, info.Done)
		}
		return nil
	}, &agentgraph.ResumableOptions{Store: store})
	_, err := r.Run(ctx, "run", nil)
	require.NoError(t, err)
}

// wanting asks for a T in a run "run".
func wanting[T any](store agentgraph.Store) func() error {
	return func() error {
		_, err := agentgraph.NewResumable("asks", func(s *agentgraph.Step) error {
			_, err := agentgraph.Ask[T](s, "q", "?")
			return err
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "run", nil)
		return err
	}
}

// TestWants: the kind of answer that is wanted stands in the question, in the error
// and in the journal.
func TestWants(t *testing.T) {
	for _, c := range []struct {
		ask  func(agentgraph.Store) func() error
		want string
	}{
		{wanting[bool], "boolean"}, {wanting[float64], "number"}, {wanting[string], "string"}, {wanting[[]int], "list"},
		{wanting[map[string]int], "object"}, {wanting[any], ""}, {wanting[json.RawMessage], ""}, {wanting[time.Time], ""},
	} {
		store := agentgraph.NewMemStore()
		want := []agentgraph.Question{{Step: "q", Question: []byte(`"?"`), Wants: c.want}}
		var waiting *agentgraph.WaitingError
		require.ErrorAs(t, c.ask(store)(), &waiting)
		require.Equal(t, want, waiting.Questions)
		open, err := agentgraph.Questions(context.Background(), store, "run")
		require.NoError(t, err)
		require.Equal(t, want, open)
	}
}

// TestWantsIsNoInput: what is wanted now does not matter to an answer that was given,
// nor to a step that was done, by an older version say.
func TestWantsIsNoInput(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.ErrorIs(t, wanting[any](store)(), agentgraph.ErrWaiting)
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "q", 1), "while nothing is said of what is wanted")
	require.NoError(t, wanting[int](store)())
	require.NoError(t, wanting[float64](store)(), "of a step that is done")
	attempts, err := agentgraph.Attempts(ctx, store, "run")
	require.NoError(t, err)
	require.Equal(t, agentgraph.StatusExecuted, attempts[1].Steps[0].Status)
	require.Equal(t, agentgraph.StatusCached, attempts[2].Steps[0].Status)
}

// TestWantsOfAnOldJournal: one that was written before questions said what they want.
func TestWantsOfAnOldJournal(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.ErrorIs(t, wanting[bool](store)(), agentgraph.ErrWaiting)
	old := agentgraph.NewMemStore()
	cut := 0
	for r, err := range store.Read(ctx, "run", 0) {
		require.NoError(t, err)
		data := strings.Replace(string(r.Data), `,"wants":"boolean"`, "", 1)
		cut += len(r.Data) - len(data)
		r.Data = []byte(data)
		require.NoError(t, old.Append(ctx, "run", r.Seq-1, r))
	}
	require.Equal(t, len(`,"wants":"boolean"`), cut)
	open, err := agentgraph.Questions(ctx, old, "run")
	require.NoError(t, err)
	require.Equal(t, []agentgraph.Question{{Step: "q", Question: []byte(`"?"`)}}, open)
	require.NoError(t, agentgraph.Answer(ctx, old, "run", "q", true))
	require.NoError(t, wanting[bool](old)())
}

// TestAnswerOfAnotherKind: the library takes it, as it always did, and the next attempt
// says why it is none.
func TestAnswerOfAnotherKind(t *testing.T) {
	store := agentgraph.NewMemStore()
	require.ErrorIs(t, wanting[bool](store)(), agentgraph.ErrWaiting)
	require.NoError(t, agentgraph.Answer(context.Background(), store, "run", "q", "true"))
	var waiting *agentgraph.WaitingError
	require.ErrorAs(t, wanting[bool](store)(), &waiting)
	require.Contains(t, waiting.Questions[0].Refused, `the answer "true" does not fit`)
}
