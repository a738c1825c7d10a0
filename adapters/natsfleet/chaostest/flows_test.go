package chaostest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// register gives a fleet the flows of the tests.
func register(f *natsfleet.Fleet, d *diary) error {
	if err := f.Register(chaosFlow(d, 40*time.Millisecond)); err != nil {
		return err
	}
	if err := f.Register(asking(d)); err != nil {
		return err
	}
	return f.Register(poison(d))
}

// asking is a flow that asks two questions at once and then a third, and does
// something after each.
func asking(d *diary) *agentgraph.Resumable {
	ask := func(s *agentgraph.Step, name string) error {
		if _, err := agentgraph.Ask[string](s, name, nil); err != nil {
			return err
		}
		return s.Step("after-"+name, func(s *agentgraph.Step) error {
			time.Sleep(40 * time.Millisecond)
			return nil
		})
	}
	return agentgraph.NewResumable("asking", func(s *agentgraph.Step) error {
		for _, name := range []string{"a", "b"} {
			s.Go(name, func(s *agentgraph.Step) error { return ask(s, name) })
		}
		if err := s.Wait(); err != nil {
			return err
		}
		return ask(s, "c")
	}, d.options())
}

// poison is a flow that kills the process, as soon as its journal tells where it is.
func poison(d *diary) *agentgraph.Resumable {
	return agentgraph.NewResumable("poison", func(s *agentgraph.Step) error {
		id, err := agentgraph.Get[string](s, "id")
		if err != nil {
			return err
		}
		if err := s.Step("before", func(s *agentgraph.Step) error { return d.write("before\n") }); err != nil {
			return err
		}
		return s.Step("deadly", func(s *agentgraph.Step) error {
			for {
				attempts, err := agentgraph.Attempts(s.Context(), d.store, id)
				if err != nil {
					return err
				}
				steps := attempts[len(attempts)-1].Steps
				if n := len(steps); n > 0 && steps[n-1].Status == agentgraph.StatusStarted {
					os.Exit(3)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}, nil)
}

// chaosFlow is a flow of 20 steps, some at once, one of them a meeting.
func chaosFlow(d *diary, pause time.Duration) *agentgraph.Resumable {
	one := func(s *agentgraph.Step, path string) error {
		name := path[strings.LastIndexByte(path, '/')+1:]
		return s.Step(name, func(s *agentgraph.Step) error {
			id, err := agentgraph.Get[string](s, "id")
			if err != nil {
				return err
			}
			if err := d.begin(s.Context(), id, path); err != nil {
				return err
			}
			time.Sleep(pause)
			before, _ := agentgraph.Get[int](s, name) // it is of no step yet
			s.Set(name, before+len(path)+len(s.Artifacts()))
			return nil
		})
	}
	return agentgraph.NewResumable("chaos", func(s *agentgraph.Step) error {
		for i := range 4 {
			if err := one(s, fmt.Sprintf("prepare-%d", i)); err != nil {
				return err
			}
		}
		for i := range 4 {
			part := fmt.Sprintf("part-%d", i)
			s.Go(part, func(s *agentgraph.Step) error {
				if err := one(s, part+"/draft-"+part); err != nil {
					return err
				}
				return one(s, part+"/check-"+part)
			})
		}
		if err := s.Wait(); err != nil {
			return err
		}
		if err := talk(s, d, pause); err != nil {
			return err
		}
		for i := range 3 {
			if err := one(s, fmt.Sprintf("gather-%d", i)); err != nil {
				return err
			}
		}
		return nil
	}, d.options())
}

// talk is a meeting of three in which a word goes around until it is long.
func talk(s *agentgraph.Step, d *diary, pause time.Duration) error {
	id, err := agentgraph.Get[string](s, "id")
	if err != nil {
		return err
	}
	say := agentgraph.MachineContext(0, func(ctx context.Context, heard int, in agentgraph.Post[string]) (int, []agentgraph.Post[string], error) {
		turn, _ := agentgraph.TurnFrom(ctx)
		if err := d.begin(ctx, id, turnPath(turn.Agent, turn.N)); err != nil {
			return heard, nil, err
		}
		time.Sleep(pause)
		if len(in.Body) > 4 {
			return heard + 1, nil, nil
		}
		return heard + 1, []agentgraph.Post[string]{{Body: fmt.Sprintf("%s%d", in.Body, heard)}}, nil
	})
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("x"), agentgraph.Vertex("ann"), agentgraph.Vertex("bob")),
		agentgraph.Connect(agentgraph.Channels("y"), agentgraph.Vertex("bob"), agentgraph.Vertex("cyd")),
		agentgraph.Connect(agentgraph.Channels("z"), agentgraph.Vertex("cyd"), agentgraph.Vertex("ann")),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{
		"ann": agentgraph.Atomic(say), "bob": agentgraph.Atomic(say), "cyd": agentgraph.Atomic(say),
	})
	if err != nil {
		return err
	}
	log, err := agentgraph.RunMeeting(s, "talk", r.With(agentgraph.Options{Parallel: 2}),
		[]agentgraph.Post[string]{agentgraph.NewPost("host", []string{"x"}, "a"), agentgraph.NewPost("host", []string{"y"}, "b")})
	if err != nil {
		return err
	}
	s.Set("log", log)
	return nil
}
