package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

// The process is told to stop while an order is paid. The next one does not pay again.
func ExampleResumable() {
	ctx, shutDown := context.WithCancel(context.Background())
	order := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
		err := s.Step("pay", func(s *agentgraph.Step) error {
			fmt.Println("paying")
			shutDown()
			s.Set("receipt", 17)
			return nil
		})
		if err != nil {
			return err
		}
		return s.Step("print", func(s *agentgraph.Step) error {
			receipt, err := agentgraph.Get[int](s, "receipt")
			fmt.Println("printing receipt", receipt)
			return err
		})
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})

	input := map[string]any{"customer": "ann"}
	_, err := order.Run(ctx, "order/1", input)
	fmt.Println("interrupted:", errors.Is(err, context.Canceled))

	result, err := order.Run(context.Background(), "order/1", input)
	if err != nil {
		panic(err)
	}
	for _, step := range result.Steps {
		fmt.Println(step.StepName, step.Status)
	}
	// Output:
	// paying
	// interrupted: true
	// printing receipt 17
	// pay cached
	// print executed
}

// A step is atomic: after an error the artifacts are what they were before it.
func ExampleStep_Step() {
	work := agentgraph.NewResumable("count", func(s *agentgraph.Step) error {
		s.Set("sheep", 1)
		err := s.Step("count", func(s *agentgraph.Step) error {
			s.Set("sheep", 2)
			return errors.New("fell asleep")
		})
		fmt.Println(err)
		return nil // the work goes on without it
	}, nil)

	result, err := work.Run(context.Background(), "", nil)
	fmt.Println(string(result.Artifacts["sheep"]), err)
	// Output:
	// fell asleep
	// 1 <nil>
}

// Every attempt is kept, and can be looked at while the work goes on.
func ExampleResumable_StepsRun() {
	words := []string{"one", "", "three"}
	count := agentgraph.NewResumable("count", func(s *agentgraph.Step) error {
		for _, word := range words {
			err := s.Step("word", func(s *agentgraph.Step) error {
				if word == "" {
					return errors.New("nothing to count")
				}
				return nil
			}, agentgraph.Input("word", word))
			if err != nil {
				return err
			}
		}
		return nil
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})

	ctx := context.Background()
	_, _ = count.Run(ctx, "today", nil)
	words[1] = "two"
	_, _ = count.Run(ctx, "today", nil)

	attempts, err := count.StepsRun(ctx, "today")
	if err != nil {
		panic(err)
	}
	for i, steps := range attempts {
		for _, step := range steps {
			fmt.Printf("%d %v %s %s: %s\n", i+1, step.Index, step.StepName, step.ExtraInputArtifacts["word"], step.Status)
		}
	}
	// Output:
	// 1 [0] word "one": executed
	// 1 [1] word "": error
	// 2 [0] word "one": cached
	// 2 [1] word "two": executed
	// 2 [2] word "three": executed
}

// Do is a step with a result, which is the same whether the step ran or was skipped.
func ExampleDo() {
	work := agentgraph.NewResumable("greet", func(s *agentgraph.Step) error {
		name, err := agentgraph.Do(s, "name", func(context.Context) (string, error) {
			fmt.Println("looking up the name")
			return "ann", nil
		})
		if err != nil {
			return err
		}
		fmt.Println("hello", name)
		return nil
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})

	for range 2 {
		if _, err := work.Run(context.Background(), "greeting", nil); err != nil {
			panic(err)
		}
	}
	// Output:
	// looking up the name
	// hello ann
	// hello ann
}

// Three pages are counted at once. Each writes an artifact of its own; Wait takes
// them over.
func ExampleStep_Go() {
	pages := []string{"a b c", "d e", "f"}
	work := agentgraph.NewResumable("pages", func(s *agentgraph.Step) error {
		for i, page := range pages {
			s.Go("count", func(s *agentgraph.Step) error {
				s.Set(fmt.Sprintf("page %d", i+1), len(strings.Fields(page)))
				return nil
			})
		}
		return s.Wait()
	}, nil)

	result, err := work.Run(context.Background(), "", nil)
	if err != nil {
		panic(err)
	}
	for i := range pages {
		name := fmt.Sprintf("page %d", i+1)
		fmt.Println(name, string(result.Artifacts[name]))
	}
	// Output:
	// page 1 3
	// page 2 2
	// page 3 1
}

// counter is an agent that remembers how often it was asked.
type counter struct{ asked int }

func (c *counter) Name() string { return "counter" }

func (c *counter) Invoke(context.Context, agentgraph.Artifacts) (agentgraph.Artifacts, error) {
	c.asked++
	fmt.Println("asked", c.asked)
	return agentgraph.Artifacts{"asked": json.RawMessage(fmt.Sprint(c.asked))}, nil
}

func (c *counter) ExportState() (any, error) { return c.asked, nil }

func (c *counter) ImportState(state json.RawMessage) error { return json.Unmarshal(state, &c.asked) }

// An agent that remembers goes on with what it knew, in a new process too.
func ExampleStateful() {
	store := agentgraph.NewMemStore()
	attempt := func(times int) {
		agent := &counter{} // each process makes its own
		work := agentgraph.NewResumable("work", func(s *agentgraph.Step) error {
			for range times {
				if err := s.StepAgent(agent); err != nil {
					return err
				}
			}
			return nil
		}, &agentgraph.ResumableOptions{Store: store})
		result, err := work.Run(context.Background(), "counting", nil)
		if err != nil {
			panic(err)
		}
		for _, step := range result.Steps {
			fmt.Println(step.StepName, step.Status)
		}
	}
	attempt(2)
	attempt(3)
	// Output:
	// asked 1
	// asked 2
	// counter executed
	// counter executed
	// asked 3
	// counter cached
	// counter cached
	// counter executed
}

// The process dies after it has paid and before that is recorded. The bank is asked
// twice, and knows the second time that it has paid already.
func ExampleStepFrom() {
	bank := map[string]int{}
	pay := func(ctx context.Context, sum int) error {
		info, _ := agentgraph.StepFrom(ctx)
		if _, paid := bank[info.IdempotencyKey]; paid {
			fmt.Println(info.RunID, info.Step, "is paid already")
			return nil
		}
		bank[info.IdempotencyKey] = sum
		fmt.Println(info.RunID, info.Step, "is paid")
		return nil
	}
	dying := true
	order := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
		return s.Step("pay", func(s *agentgraph.Step) error {
			if err := pay(s.Context(), 17); err != nil {
				return err
			}
			if dying {
				return errors.New("the process dies here")
			}
			return nil
		})
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})
	_, err := order.Run(context.Background(), "order/1", nil)
	fmt.Println(err)
	dying = false
	_, err = order.Run(context.Background(), "order/1", nil)
	fmt.Println(err)
	// Output:
	// order/1 pay is paid
	// agentgraph: run "order/1", attempt 1, step "pay": the process dies here
	// order/1 pay is paid already
	// <nil>
}

// The boss answers when there is time. Until then no process has to wait.
func ExampleAsk() {
	store := agentgraph.NewMemStore()
	work := agentgraph.NewResumable("holiday", func(s *agentgraph.Step) error {
		days, err := agentgraph.Ask[int](s, "days", "How many days may Ann have?")
		if err != nil {
			return err
		}
		fmt.Println("Ann has", days, "days")
		return nil
	}, &agentgraph.ResumableOptions{Store: store})

	ctx := context.Background()
	_, err := work.Run(ctx, "ann", nil)
	fmt.Println(errors.Is(err, agentgraph.ErrWaiting), err)

	questions, err := agentgraph.Questions(ctx, store, "ann") // from any process
	if err != nil {
		panic(err)
	}
	for _, q := range questions {
		fmt.Println(q.Step, "asks:", string(q.Question))
		if err := agentgraph.Answer(ctx, store, "ann", q.Step, 10); err != nil {
			panic(err)
		}
	}

	_, err = work.Run(ctx, "ann", nil)
	fmt.Println(err)
	// Output:
	// true agentgraph: run "ann", attempt 1, step "days": waiting for an answer: "days"
	// days asks: "How many days may Ann have?"
	// Ann has 10 days
	// <nil>
}

// Every turn of a meeting is a step. The press breaks down; when it is mended, the
// writer is not called again.
func ExampleRunMeeting() {
	broken := true
	writer := agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		fmt.Println("writing")
		return []agentgraph.Post[string]{{Body: "a story about " + in.Body}}
	})
	press := agentgraph.EachContext(func(_ context.Context, in agentgraph.Post[string]) ([]agentgraph.Post[string], error) {
		if broken {
			return nil, errors.New("out of ink")
		}
		return []agentgraph.Post[string]{{Body: in.Body + ", printed"}}, nil
	})
	roster, err := agentgraph.ToRoster(
		agentgraph.Pipeline([]agentgraph.Name{"you", "writer", "press"}, "hop"),
		agentgraph.Registry[string]{
			"you":    agentgraph.External[string](),
			"writer": agentgraph.Atomic(writer),
			"press":  agentgraph.Atomic(press),
		})
	if err != nil {
		panic(err)
	}
	wish := agentgraph.NewPost("you", []agentgraph.Channel{"hop.1"}, "cats")
	var log []agentgraph.Post[string]
	work := agentgraph.NewResumable("paper", func(s *agentgraph.Step) (err error) {
		log, err = agentgraph.RunMeeting(s, "meeting", roster, []agentgraph.Post[string]{wish})
		return err
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore()})

	_, err = work.Run(context.Background(), "monday", nil)
	fmt.Println(err)
	broken = false
	result, err := work.Run(context.Background(), "monday", nil)
	if err != nil {
		panic(err)
	}
	for _, turn := range result.Steps[0].Children {
		fmt.Println(turn.StepName, turn.Status)
	}
	printLog(log)
	// Output:
	// writing
	// agentgraph: run "monday", attempt 1, step "meeting": agent "press" on post "writer#0": out of ink
	// writer cached
	// press executed
	// you#0 [hop.1] [] cats
	// writer#0 [hop.2] [you#0] a story about cats
	// press#0 [] [writer#0] a story about cats, printed
}

// A seat in a meeting is answered from outside, and the next run goes on from there.
func ExampleAnswerSeat() {
	graph := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("question"), agentgraph.Vertex("clerk"), agentgraph.Vertex("boss")),
		agentgraph.Connect(agentgraph.Channels("answer"), agentgraph.Vertex("boss"), agentgraph.Vertex("clerk")),
	)
	clerk := agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
		if in.From == "boss" {
			return nil
		}
		return []agentgraph.Post[string]{{Body: "may I " + in.Body + "?"}}
	})
	roster, err := agentgraph.ToRoster(graph, agentgraph.Registry[string]{
		"clerk": agentgraph.Atomic(clerk),
		"boss":  agentgraph.External[string](),
	})
	if err != nil {
		panic(err)
	}
	wish := agentgraph.NewPost("client", []agentgraph.Channel{"answer"}, "pay")
	store := agentgraph.NewMemStore()
	var log []agentgraph.Post[string]
	work := agentgraph.NewResumable("payment", func(s *agentgraph.Step) (err error) {
		log, err = agentgraph.RunMeeting(s, "office", roster, []agentgraph.Post[string]{wish})
		return err
	}, &agentgraph.ResumableOptions{Store: store})

	ctx := context.Background()
	_, err = work.Run(ctx, "monday", nil)
	var waiting *agentgraph.WaitingError
	if !errors.As(err, &waiting) {
		panic(err)
	}
	for _, q := range waiting.Questions {
		fmt.Println(q.Seat, "is asked in step", q.Step)
	}

	err = agentgraph.AnswerSeat(ctx, store, "monday", "office", "boss", agentgraph.Post[string]{Body: "yes"})
	if err != nil {
		panic(err)
	}
	if _, err = work.Run(ctx, "monday", nil); err != nil {
		panic(err)
	}
	printLog(log)
	// Output:
	// boss is asked in step office
	// client#0 [answer] [] pay
	// clerk#0 [question] [client#0] may I pay?
	// boss#0 [answer] [clerk#0] yes
}
