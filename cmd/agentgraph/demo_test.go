package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// demo DIR RUN FLOW [INPUT] runs a flow, and prints nothing.
func demo(args []string) int {
	store, err := filestore.Open(args[0], &filestore.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer store.Close()
	input := map[string]any{"topic": strings.Join(args[3:], " ")}
	body := map[string]func(*agentgraph.Step) error{
		"build": build, "broken": broken, "ask": askFlow, "days": askDays, "remark": askRemark, "any": askAnything, "everything": askEverything, "meet": meetFlow, "two": twoMeetings, "desk": desk, "hostile": hostile, "empty": empty, "early": early, "checked": checkedFirst, "hasty": hasty, "killed": build, "begun": build,
	}[args[2]]
	options := &agentgraph.ResumableOptions{Store: store}
	switch args[2] {
	case "killed":
		options.Store = unended{store, time.Hour}
	case "begun":
		options.Store = unended{store, 0}
	}
	r := agentgraph.NewResumable("demo", body, options)
	_, err = r.Run(context.Background(), args[1], input)
	if err != nil && !slices.Contains([]string{"broken", "early", "checked", "hasty"}, args[2]) && !errors.Is(err, agentgraph.ErrWaiting) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// unended is a store as a process leaves it that ran so long ago and did not come to
// its end.
type unended struct {
	agentgraph.Store
	ago time.Duration
}

func (k unended) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	var kept []agentgraph.Record
	for _, r := range records {
		if r.Time = r.Time.Add(-k.ago); r.Kind != "end" {
			kept = append(kept, r)
		}
	}
	if kept == nil {
		return nil
	}
	return k.Store.Append(ctx, runID, after, kept...)
}

func empty(*agentgraph.Step) error { return nil }

func build(s *agentgraph.Step) error { return work(s, nil) }

func broken(s *agentgraph.Step) error { return work(s, errors.New("test: 3 of 9 failed")) }

// work plans, compiles and tests, which may fail, and ships.
func work(s *agentgraph.Step, fault error) error {
	if _, err := agentgraph.Do(s, "plan", func(context.Context) (string, error) { return "carefully", nil }); err != nil {
		return err
	}
	err := s.Step("build", func(s *agentgraph.Step) error {
		if _, err := agentgraph.Do(s, "compile", func(context.Context) ([]int, error) { return []int{1, 2}, nil }); err != nil {
			return err
		}
		return s.Step("test", func(s *agentgraph.Step) error { return fault })
	}, agentgraph.Input("level", 3))
	if err != nil {
		return err
	}
	return s.Step("ship", func(s *agentgraph.Step) error { s.Delete("plan"); return nil })
}

func askFlow(s *agentgraph.Step) error {
	if _, err := agentgraph.Do(s, "plan", func(context.Context) (string, error) { return "carefully", nil }); err != nil {
		return err
	}
	_, err := agentgraph.Ask[bool](s, "approve", "Ship it?")
	return err
}

func askDays(s *agentgraph.Step) error {
	_, err := agentgraph.Ask[int](s, "days", "How many?")
	return err
}

func askRemark(s *agentgraph.Step) error {
	_, err := agentgraph.Ask[string](s, "remark", "Anything else?")
	return err
}

func askAnything(s *agentgraph.Step) error {
	_, err := agentgraph.Ask[any](s, "any", "What?")
	return err
}

// askEverything asks in several steps at once, one of them a meeting.
func askEverything(s *agentgraph.Step) error {
	s.Go("z", askAnything)
	s.Go("a", askFlow)
	s.Go("m", meetFlow)
	return s.Wait()
}

// early does the first step of work, and no more.
func early(s *agentgraph.Step) error {
	if _, err := agentgraph.Do(s, "plan", func(context.Context) (string, error) { return "carefully", nil }); err != nil {
		return err
	}
	return errors.New("the power failed")
}

// checkedFirst is early with a step put in before.
func checkedFirst(s *agentgraph.Step) error {
	if err := s.Step("check", empty); err != nil {
		return err
	}
	return early(s)
}

// hasty is askFlow with its first step taken out.
func hasty(s *agentgraph.Step) error {
	if _, err := agentgraph.Ask[bool](s, "approve", "Ship it?"); err != nil {
		return err
	}
	return errors.New("the power failed")
}

func hostile(s *agentgraph.Step) error {
	s.Set("value", "\u202eab")
	_ = s.Step("\x1b[31mred\u202e", func(s *agentgraph.Step) error { return errors.New("\x1b]0;title\a") })
	return nil
}

// meeting is one with a team and a person.
func meeting() *agentgraph.Roster[string] {
	say := func(mark string) agentgraph.Node[string] {
		return agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
			return []agentgraph.Post[string]{{Body: in.Body + mark}}
		}))
	}
	team := agentgraph.Nested(agentgraph.Pipeline([]string{"x", "y"}, "in"), agentgraph.Registry[string]{"x": say("x"), "y": say("y\nover")},
		agentgraph.Hears("x"), agentgraph.Speaks("y"))
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("draft"), agentgraph.Vertex("team"), agentgraph.Vertex("editor")),
		agentgraph.Connect(agentgraph.Channels("work"), agentgraph.Vertex("editor"), agentgraph.Vertex("team")),
	)
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"team": team, "editor": agentgraph.External[string]()})
	if err != nil {
		panic(err)
	}
	return r
}

func meetFlow(s *agentgraph.Step) error {
	_, err := agentgraph.RunMeeting(s, "meet", meeting(), []agentgraph.Post[string]{agentgraph.NewPost("user", []string{"work"}, "go")})
	return err
}

func twoMeetings(s *agentgraph.Step) error {
	for _, name := range []string{"first", "second"} {
		if _, err := agentgraph.RunMeeting(s, name, meeting(), nil); err != nil {
			return err
		}
	}
	return nil
}

// claim is what is said at a desk: no text.
type claim struct {
	Sum int  `json:"sum"`
	OK  bool `json:"ok,omitempty"`
}

// desk hands a person two claims at once.
func desk(s *agentgraph.Step) error {
	g := agentgraph.Overlay(
		agentgraph.Connect(agentgraph.Channels("claims"), agentgraph.Vertex("sorter"), agentgraph.Vertex("clerk")),
		agentgraph.Connect(agentgraph.Channels("settled"), agentgraph.Vertex("clerk"), agentgraph.Vertex("sorter")),
	)
	sorter := agentgraph.Each(func(in agentgraph.Post[claim]) []agentgraph.Post[claim] {
		if in.From == "clerk" {
			return nil
		}
		return []agentgraph.Post[claim]{{Body: claim{Sum: 1}}, {Body: claim{Sum: 2}}}
	})
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[claim]{"sorter": agentgraph.Atomic(sorter), "clerk": agentgraph.External[claim]()})
	if err != nil {
		return err
	}
	_, err = agentgraph.RunMeeting(s, "meet", r, []agentgraph.Post[claim]{agentgraph.NewPost("mail", []string{"settled"}, claim{})})
	return err
}
