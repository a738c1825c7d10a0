package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

// flowOn runs a flow under one ID and gives what is to be compared.
func flowOn(store agentgraph.Store, body func(*agentgraph.Step) error) (any, error) {
	r := agentgraph.NewResumable("flow", body, &agentgraph.ResumableOptions{Store: store})
	result, err := r.Run(context.Background(), "run", map[string]any{"n": 1})
	return result.Artifacts, err
}

// adds is a step that changes an artifact in a way that shows how often it ran.
func adds(name string, by int, ran func(string)) func(*agentgraph.Step) error {
	return func(s *agentgraph.Step) error {
		n, err := agentgraph.Get[int](s, "n")
		if err != nil {
			return err
		}
		s.Set("n", 10*n+by)
		ran(name)
		return nil
	}
}

func TestCrashInNestedSteps(t *testing.T) {
	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(string)) (any, error) {
		agent := &abacus{}
		return flowOn(store, func(s *agentgraph.Step) error {
			s.Set("outside", strings.Repeat("x", 100))
			if err := s.Step("a", adds("a", 1, ran), agentgraph.Input("extra", "e")); err != nil {
				return err
			}
			err := s.Step("outer", func(s *agentgraph.Step) error {
				if err := s.Step("b", adds("b", 2, ran)); err != nil {
					return err
				}
				if err := s.StepAgent(agent); err != nil {
					return err
				}
				_ = s.Step("fails", func(s *agentgraph.Step) error {
					if err := s.StepAgent(agent); err != nil {
						return err
					}
					return errors.New("handled")
				})
				return s.Step("b", adds("b again", 3, ran))
			})
			if err != nil {
				return err
			}
			if err := s.StepAgent(agent); err != nil {
				return err
			}
			s.Set("uses", agent.n)
			s.Set("copy", strings.Repeat("x", 100))
			return s.Step("c", adds("c", 4, ran))
		})
	})
}

func TestCrashInStepsAtOnce(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		part := agentgraph.NewResumable("part", func(s *agentgraph.Step) error {
			s.Delete("gone")
			return s.Step("inner", sets("part", "done"))
		}, nil)
		return flowOn(store, func(s *agentgraph.Step) error {
			s.Set("gone", 1)
			for i := range 3 {
				s.Go("go", func(s *agentgraph.Step) error {
					return s.Step("in", sets(fmt.Sprint("go", i), i))
				})
			}
			if err := s.StepAgent(part); err != nil {
				return err
			}
			if err := s.Wait(); err != nil {
				return err
			}
			_, err := agentgraph.Do(s, "sum", func(context.Context) (int, error) { return 3, nil })
			return err
		})
	})
}

func TestCrashAroundAQuestion(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		flow := func(s *agentgraph.Step) error {
			s.Go("beside", sets("beside", 1))
			s.Go("review", func(s *agentgraph.Step) error {
				ok, err := agentgraph.Ask[bool](s, "approve", "Ship it?")
				s.Set("shipped", ok)
				return err
			})
			return s.Wait()
		}
		result, err := flowOn(store, flow)
		if !errors.Is(err, agentgraph.ErrWaiting) {
			return result, err
		}
		if err := agentgraph.Answer(context.Background(), store, "run", "review/approve", true); err != nil {
			return nil, err
		}
		return flowOn(store, flow)
	})
}

// talk is a meeting of all kinds of agents, some of them nested.
func talk(t *testing.T, o agentgraph.Options, fails int) *agentgraph.Roster[string] {
	t.Helper()
	type post = agentgraph.Post[string]
	shout := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "!"}} }))
	count := agentgraph.Atomic(agentgraph.Tape(func(h []post) []post { return []post{{Body: fmt.Sprint(len(h), h[0].Body)}} }))
	total := agentgraph.Atomic(agentgraph.MachineContext(0, func(_ context.Context, n int, in post) (int, []post, error) {
		if n++; n == fails {
			return n, nil, errors.New("total is ill")
		}
		return n, []post{{Body: fmt.Sprint(n, in.Body)}}, nil
	}))
	team := agentgraph.Nested(agentgraph.Pipeline([]string{"x", "y"}, "in"), agentgraph.Registry[string]{"x": shout, "y": count},
		agentgraph.Hears("x"), agentgraph.Speaks("y"))
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("work"), agentgraph.Vertex("boss"), agentgraph.Vertices("a", "b", "team")),
		agentgraph.Connect(agentgraph.Channels("done"), agentgraph.Vertices("a", "b", "team"), agentgraph.Vertex("total")),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"boss": agentgraph.External[string](), "a": shout, "b": count, "team": team, "total": total,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.With(o)
}

func TestCrashInMeetings(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     agentgraph.Options
		fails int
		mw    []agentgraph.Middleware[string]
	}{
		{name: "one at a time"},
		{name: "parallel", o: agentgraph.Options{Parallel: 4}},
		{name: "turn limit", o: agentgraph.Options{MaxTurns: 7}},
		{name: "turn limit in parallel", o: agentgraph.Options{MaxTurns: 7, Parallel: 4}},
		{name: "meddling", mw: []agentgraph.Middleware[string]{meddling}},
		{name: "meddling in parallel", o: agentgraph.Options{Parallel: 4}, mw: []agentgraph.Middleware[string]{meddling}},
		{name: "agent error", fails: 4},
		{name: "agent error in parallel", fails: 4, o: agentgraph.Options{Parallel: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			roster := talk(t, c.o, c.fails).Use(c.mw...)
			work := []agentgraph.Post[string]{
				agentgraph.NewPost("boss", []string{"work"}, "one"), agentgraph.NewPost("boss", []string{"work"}, "four"),
			}
			resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
				var log []agentgraph.Post[string]
				_, err := flowOn(store, func(s *agentgraph.Step) (err error) {
					log, err = agentgraph.RunMeeting(s, "meet", roster, work)
					return err
				})
				return log, err
			})
		})
	}
}

func TestCrashAroundASeat(t *testing.T) {
	g := agentgraph.Pipeline([]string{"ask", "human", "tell"}, "c")
	type post = agentgraph.Post[string]
	say := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "?"}} }))
	roster, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"ask": say, "human": agentgraph.External[string](), "tell": say})
	if err != nil {
		t.Fatal(err)
	}
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		var log []post
		flow := func(s *agentgraph.Step) (err error) {
			log, err = agentgraph.RunMeeting(s, "meet", roster, []post{agentgraph.NewPost("u", []string{agentgraph.Everyone}, "hi")})
			return err
		}
		for range 3 {
			if _, err = flowOn(store, flow); !errors.Is(err, agentgraph.ErrWaiting) {
				return log, err
			}
			if err := agentgraph.AnswerSeat(context.Background(), store, "run", "meet", "human", post{Body: "yes"}); err != nil {
				return nil, err
			}
		}
		return log, err
	})
}
