package agentgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// desk is a meeting with two seats, who are asked by an agent each, which posts what
// it hears, and a clerk who hears both seats.
func desk(t *testing.T, calls *int) *agentgraph.Roster[string] {
	t.Helper()
	asks := agentgraph.Atomic(agentgraph.Each(func(in post) []post { *calls++; return []post{{Body: in.Body + "?"}} }))
	clerk := agentgraph.Atomic(agentgraph.Tape(func(history []post) []post {
		*calls++
		return []post{{Body: fmt.Sprint(len(history), " ", history[len(history)-1].Body)}}
	}))
	edge := func(from, channel, to string) agentgraph.Graph {
		return agentgraph.Connect(agentgraph.Channels(channel), agentgraph.Vertex(from), agentgraph.Vertex(to))
	}
	g := agentgraph.Overlay(
		edge("a", "a out", "ann"), edge("ann", "a in", "clerk"),
		edge("b", "b out", "bob"), edge("bob", "b in", "clerk"),
		edge("src", "to a", "a"), edge("src", "to b", "b"),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"a": asks, "b": asks, "clerk": clerk,
		"ann": agentgraph.External[string](), "bob": agentgraph.External[string](), "src": agentgraph.External[string](),
	})
	require.NoError(t, err)
	return r
}

func to(channel, body string) post { return agentgraph.NewPost("user", []string{channel}, body) }

// waitingFor tells what a run waits for: step, seat, and the bodies there.
func waitingFor(t *testing.T, err error) []string {
	t.Helper()
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	var w *agentgraph.WaitingError
	require.ErrorAs(t, err, &w)
	return tellQuestions(t, w.Questions)
}

func tellQuestions(t *testing.T, questions []agentgraph.Question) []string {
	t.Helper()
	list := []string{}
	for _, q := range questions {
		if q.Seat == "" {
			list = append(list, q.Step+" "+string(q.Question))
			continue
		}
		var posts []post
		require.NoError(t, json.Unmarshal(q.Question, &posts))
		list = append(list, fmt.Sprint(q.Step, " ", q.Seat, " ", bodies(posts)))
	}
	return list
}

func questionsOf(t *testing.T, store agentgraph.Store) []string {
	t.Helper()
	questions, err := agentgraph.Questions(context.Background(), store, "run")
	require.NoError(t, err)
	return tellQuestions(t, questions)
}

func sayAt(store agentgraph.Store, seat string, bodies ...string) error {
	var posts []post
	for _, body := range bodies {
		posts = append(posts, post{Body: body})
	}
	return agentgraph.AnswerSeat(context.Background(), store, "run", "talk", seat, posts...)
}

func TestSeats(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	run := func() ([]post, error) {
		log, result, err := meet(store, "run", r, []post{to("to a", "1"), to("to b", "2")})
		require.Empty(t, toldOfLast(t, store, "run", result))
		return log, err
	}
	require.ErrorIs(t, sayAt(store, "ann", "too early"), agentgraph.ErrNoQuestion, "nothing has begun")

	for range 2 {
		log, err := run()
		require.Equal(t, []string{"talk ann [1?]", "talk bob [2?]"}, waitingFor(t, err))
		require.Equal(t, []string{"1", "2", "1?", "2?"}, bodies(log))
		require.Equal(t, []string{"talk ann [1?]", "talk bob [2?]"}, questionsOf(t, store))
		require.Equal(t, 2, calls, "waiting calls nobody again")
	}

	for _, wrong := range [][2]string{{"talk", "nobody"}, {"talk", "a"}, {"talk", ""}, {"elsewhere", "ann"}, {"", "ann"}} {
		err := agentgraph.AnswerSeat(context.Background(), store, "run", wrong[0], wrong[1], post{Body: "x"})
		require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
		require.ErrorContains(t, err, fmt.Sprintf(`agentgraph: run "run", step %q, seat %q: `, wrong[0], wrong[1]))
	}
	require.ErrorIs(t, agentgraph.AnswerSeat(context.Background(), store, "other", "talk", "ann", post{Body: "x"}), agentgraph.ErrNoQuestion)
	require.Error(t, sayAt(store, "ann"), "no post")
	require.ErrorIs(t, agentgraph.Answer(context.Background(), store, "run", "talk", "x"), agentgraph.ErrNoQuestion, "that is for Ask")

	require.NoError(t, sayAt(store, "bob", "B"))
	require.Equal(t, []string{"talk ann [1?]"}, questionsOf(t, store))
	log, err := run()
	require.Equal(t, []string{"talk ann [1?]"}, waitingFor(t, err))
	require.Equal(t, []string{"1", "2", "1?", "2?", "B", "1 B"}, bodies(log))
	require.Equal(t, "bob#0", log[4].ID.String())
	require.Equal(t, []string{"b in"}, log[4].To)
	require.Equal(t, []agentgraph.PostID{log[3].ID}, log[4].Thread)
	require.Equal(t, 3, calls)

	require.NoError(t, sayAt(store, "ann", "A1", "A2"))
	require.Empty(t, questionsOf(t, store))
	log, err = run()
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "1?", "2?", "B", "1 B", "A1", "A2", "2 A1", "3 A2"}, bodies(log))
	require.Equal(t, 5, calls)
	require.ErrorIs(t, sayAt(store, "ann", "too late"), agentgraph.ErrNoQuestion, "the meeting is over")
	require.Empty(t, questionsOf(t, store))

	again, err := run()
	require.NoError(t, err)
	require.Equal(t, asJSON(t, log), asJSON(t, again))
	require.Equal(t, 5, calls)
}

// TestAnswersAtOnce: several given before the run goes on are taken one at a time,
// in the order in which they were given.
func TestAnswersAtOnce(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	inputs := []post{to("to a", "1"), to("to b", "2")}
	_, _, err := meet(store, "run", r, inputs)
	waitingFor(t, err)
	require.NoError(t, sayAt(store, "bob", "B"))
	require.NoError(t, sayAt(store, "ann", "A"))
	require.Empty(t, questionsOf(t, store))
	require.ErrorIs(t, sayAt(store, "ann", "A again"), agentgraph.ErrNoQuestion)
	log, _, err := meet(store, "run", r, inputs)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "1?", "2?", "B", "1 B", "A", "2 A"}, bodies(log))
}

// TestAnswerForAnotherQuestion: it is left out, and the seat is asked again; when
// the old question comes back, the answer to it is there.
func TestAnswerForAnotherQuestion(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	old, other := []post{to("to a", "1")}, []post{to("to a", "x")}
	_, _, err := meet(store, "run", r, old)
	require.Equal(t, []string{"talk ann [1?]"}, waitingFor(t, err))
	require.NoError(t, sayAt(store, "ann", "to 1"))

	log, _, err := meet(store, "run", r, other)
	require.Equal(t, []string{"talk ann [x?]"}, waitingFor(t, err))
	require.Equal(t, []string{"x", "x?"}, bodies(log))
	require.Equal(t, []string{"talk ann [x?]"}, questionsOf(t, store))
	require.NoError(t, sayAt(store, "ann", "to x"))
	log, _, err = meet(store, "run", r, other)
	require.NoError(t, err)
	require.Equal(t, []string{"x", "x?", "to x", "1 to x"}, bodies(log))

	log, _, err = meet(store, "run", r, old)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "1?", "to 1", "1 to 1"}, bodies(log))

	log, _, err = meet(store, "run", r, other)
	require.NoError(t, err)
	require.Equal(t, []string{"x", "x?", "to x", "1 to x"}, bodies(log), "skipped, with the answers of then")
}

// TestAnswerWithAThread: one that cites a part of what waits leaves the rest, and one
// that cites nothing of it answers nothing.
func TestAnswerWithAThread(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	inputs := []post{to("to a", "1"), to("to a", "2")}
	log, _, err := meet(store, "run", r, inputs)
	require.Equal(t, []string{"talk ann [1? 2?]"}, waitingFor(t, err))
	second := log[3]
	require.Equal(t, "2?", second.Body)
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", agentgraph.Reply("to 2", second)))
	require.Equal(t, []string{"talk ann [1?]"}, questionsOf(t, store))
	log, _, err = meet(store, "run", r, inputs)
	require.Equal(t, []string{"talk ann [1?]"}, waitingFor(t, err))
	require.Equal(t, []string{"1", "2", "1?", "2?", "to 2", "1 to 2"}, bodies(log))

	lost := post{To: []string{"b in", "nowhere"}, Body: "lost"}
	require.ErrorIs(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", lost), agentgraph.ErrNotConnected)
	stray := post{From: "mallory", To: []string{"b in"}, Thread: []agentgraph.PostID{{From: "nobody", N: 9}}, Body: "aside"}
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", stray))
	log, _, err = meet(store, "run", r, inputs)
	require.Equal(t, []string{"talk ann [1?]"}, waitingFor(t, err))
	require.Equal(t, []string{"1", "2", "1?", "2?", "to 2", "1 to 2", "aside", "2 aside"}, bodies(log))
	require.Equal(t, "ann", log[6].From)
	require.Equal(t, []string{"talk ann [1?]"}, questionsOf(t, store))
	require.NoError(t, sayAt(store, "ann", "to 1"))
	_, _, err = meet(store, "run", r, inputs)
	require.NoError(t, err)
}

// TestAnswerWhileTheMeetingRuns: also before the seat was asked; the run that goes
// on takes it.
func TestAnswerWhileTheMeetingRuns(t *testing.T) {
	store := agentgraph.NewMemStore()
	var once bool
	asks := agentgraph.Atomic(agentgraph.EachContext(func(_ context.Context, in post) ([]post, error) {
		if !once {
			if err := sayAt(store, "seat", "before"); err != nil {
				return nil, err
			}
			once = true
		}
		return []post{{Body: in.Body + "?"}}, nil
	}))
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("src"), agentgraph.Vertex("a")),
		agentgraph.Connect(agentgraph.Channels("out"), agentgraph.Vertex("a"), agentgraph.Vertex("seat")),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"a": asks, "seat": agentgraph.External[string](), "src": agentgraph.External[string]()})
	require.NoError(t, err)
	_, _, err = meet(store, "run", r, inputs("1"))
	require.ErrorIs(t, err, agentgraph.ErrNoQuestion, "the beginning of a meeting is written with its first turn")
	log, _, err := meet(store, "run", r, inputs("1"))
	require.NoError(t, err)
	require.Equal(t, []string{"1", "1?", "before"}, bodies(log))
}

// TestAnswerOfTheWrongKind: the meeting cannot read it, so the seat is asked again, and
// is told why.
func TestAnswerOfTheWrongKind(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	_, _, err := meet(store, "run", r, []post{to("to a", "1")})
	waitingFor(t, err)
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", agentgraph.Post[int]{Body: 7}))
	_, _, err = meet(store, "run", r, []post{to("to a", "1")})
	const refused = `the answer [{"thread":["a#0"],"body":7}] does not fit: json: cannot unmarshal number into Go struct field .Body of type string`
	var waiting *agentgraph.WaitingError
	require.ErrorAs(t, err, &waiting)
	require.Equal(t, refused, waiting.Questions[0].Refused)
	open, err := agentgraph.Questions(context.Background(), store, "run")
	require.NoError(t, err)
	require.Equal(t, waiting.Questions, open)
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", post{Body: "7"}))
	_, _, err = meet(store, "run", r, []post{to("to a", "1")})
	require.NoError(t, err)
}

// TestAnswerNestedTooDeep: a post of a seat that stands too deep where it is kept is an
// error of its own, and nothing is kept.
func TestAnswerNestedTooDeep(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	_, _, err := meet(store, "run", r, []post{to("to a", "1")})
	waitingFor(t, err)
	body := json.RawMessage(strings.Repeat("[", 9_900) + strings.Repeat("]", 9_900))
	err = agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", agentgraph.Post[json.RawMessage]{Body: body})
	var bad *agentgraph.ArtifactError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "ann", bad.Artifact)
	require.Equal(t, []string{"talk ann [1?]"}, questionsOf(t, store))
}

// TestTwoAnswers: each is for the post that it cites.
func TestTwoAnswers(t *testing.T) {
	var calls int
	r, store := desk(t, &calls), agentgraph.NewMemStore()
	inputs := []post{to("to a", "1"), to("to a", "2")}
	log, _, err := meet(store, "run", r, inputs)
	waitingFor(t, err)
	for i, reply := range []string{"to 1", "to 2"} {
		require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "run", "talk", "ann", agentgraph.Reply(reply, log[2+i])))
	}
	require.Empty(t, questionsOf(t, store))
	info, err := agentgraph.Inspect(context.Background(), store, "run")
	require.NoError(t, err)
	require.Equal(t, agentgraph.RunAnswered, info.Status)
	log, _, err = meet(store, "run", r, inputs)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "2", "1?", "2?", "to 1", "1 to 1", "to 2", "2 to 2"}, bodies(log))
}

// TestQuestions: a question is answered by the last answer that was given before the
// run took one, and asked again when it has changed.
func TestQuestions(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	question := "one"
	job := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		s.Go("beside", func(s *agentgraph.Step) error {
			_, err := agentgraph.Ask[string](s, "other/#", 2)
			return err
		})
		answer, err := agentgraph.Ask[string](s, "q", question)
		if err != nil {
			return err
		}
		s.Set("got", answer)
		return nil
	}, &agentgraph.ResumableOptions{Store: store})
	run := func() (*agentgraph.Result, error) {
		result, err := job.Run(ctx, "run", nil)
		requireTold(t, job, "run", result)
		return result, err
	}
	require.ErrorIs(t, agentgraph.Answer(ctx, store, "run", "q", "x"), agentgraph.ErrNoQuestion)
	result, err := run()
	require.Equal(t, []string{`q "one"`}, waitingFor(t, err))
	require.Equal(t, "beside waiting (other%2F%23 waiting), q waiting", tellSteps(unescapedNames(result.Steps)))
	require.Equal(t, []string{`beside/other%2F%23 2`, `q "one"`}, questionsOf(t, store))
	requireStepError(t, err, "q")

	for _, wrong := range []string{"", "beside", "other/#", "beside/other/#", "Q", "q#1"} {
		err := agentgraph.Answer(ctx, store, "run", wrong, "x")
		require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
		require.ErrorContains(t, err, fmt.Sprintf(`agentgraph: run "run", step %q: `, wrong))
	}
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "q", "first"))
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "q", "second"))
	require.Equal(t, []string{`beside/other%2F%23 2`}, questionsOf(t, store))

	question = "two"
	_, err = run()
	require.Equal(t, []string{`q "two"`}, waitingFor(t, err))
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "q", 3), "it does not fit")
	for range 2 {
		_, err = run()
		require.Equal(t, []string{`q "two"`}, waitingFor(t, err))
		questions, err := agentgraph.Questions(ctx, store, "run")
		require.NoError(t, err)
		require.Contains(t, questions[1].Refused, "the answer 3 does not fit: ")
	}
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "q", "third"), "and can be put right")
	_, err = run()
	require.Equal(t, []string{`beside/other%2F%23 2`}, waitingFor(t, err))
	require.ErrorIs(t, agentgraph.Answer(ctx, store, "run", "q", "late"), agentgraph.ErrNoQuestion)

	question = "one"
	_, err = run()
	require.Equal(t, []string{`beside/other%2F%23 2`}, waitingFor(t, err))
	require.NoError(t, agentgraph.Answer(ctx, store, "run", "beside/other%2F%23", "o"))
	result, err = run()
	require.NoError(t, err)
	require.Equal(t, `"second"`, string(result.Artifacts["got"]))
	require.Equal(t, `"o"`, string(result.Artifacts["other/#"]))
	require.Empty(t, questionsOf(t, store))
}

// unescapedNames gives nodes of the same names as their paths have.
func unescapedNames(nodes []*agentgraph.StepNode) []*agentgraph.StepNode {
	var all []*agentgraph.StepNode
	for _, n := range nodes {
		c := *n
		if c.StepName == "other/#" {
			c.StepName = "other%2F%23"
		}
		c.Children = unescapedNames(n.Children)
		all = append(all, &c)
	}
	return all
}
