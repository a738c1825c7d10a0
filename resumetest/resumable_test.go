package resumetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/resumetest"
)

// set is a step body that sets one artifact.
func set(name string, value any, ran func(string)) func(*agentgraph.Step) error {
	return func(s *agentgraph.Step) error {
		s.Set(name, value)
		ran(name)
		return nil
	}
}

// TestResumable: an order with steps inside a step, one at a time.
func TestResumable(t *testing.T) {
	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(string)) (any, error) {
		r := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
			if err := s.Step("reserve", set("reserved", 3, ran)); err != nil {
				return err
			}
			err := s.Step("pay", func(s *agentgraph.Step) error {
				return errors.Join(s.Step("charge", set("charge", "ch_1", ran)), s.Step("book", set("booked", true, ran)))
			})
			if err != nil {
				return err
			}
			return s.Step("ship", set("parcel", []string{"a", "b"}, ran))
		}, &agentgraph.ResumableOptions{Store: store})
		result, err := r.Run(context.Background(), "order/17", map[string]any{"item": "tea"})
		return result.Artifacts, err
	})
}

// TestResumableAtOnce: sibling steps at once.
func TestResumableAtOnce(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		r := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b", "c"} {
				s.Go(name, func(s *agentgraph.Step) error {
					return s.Step("inside", set(name, name+"!", uncounted))
				})
			}
			if err := s.Wait(); err != nil {
				return err
			}
			return s.Step("end", set("end", 1, uncounted))
		}, &agentgraph.ResumableOptions{Store: store})
		result, err := r.Run(context.Background(), "order/17", nil)
		return result.Artifacts, err
	})
}

// TestResumableFails: a run may end in an error, at whichever attempt.
func TestResumableFails(t *testing.T) {
	resumetest.CrashEverywhere(t, func(store agentgraph.Store) (any, error) {
		r := agentgraph.NewResumable("order", func(s *agentgraph.Step) error {
			if err := s.Step("reserve", set("reserved", 3, uncounted)); err != nil {
				return err
			}
			return s.Step("pay", func(*agentgraph.Step) error { return errors.New("no money") })
		}, &agentgraph.ResumableOptions{Store: store})
		result, err := r.Run(context.Background(), "order/17", nil)
		if err != nil && !errors.Is(err, resumetest.ErrCrash) {
			return result.Artifacts, fmt.Errorf("the order: %w", err)
		}
		return nil, err
	})
}

// TestMeeting: a meeting with a machine, whose turns are steps.
func TestMeeting(t *testing.T) {
	graph := agentgraph.Pipeline([]string{"in", "count", "shout"}, "line")
	resumetest.CrashEverywhereCounting(t, func(store agentgraph.Store, ran func(string)) (any, error) {
		roster, err := agentgraph.ToRoster(graph, agentgraph.Registry[string]{
			"in": agentgraph.External[string](),
			"count": agentgraph.Atomic(agentgraph.Machine(0, func(n int, in agentgraph.Post[string]) (int, []agentgraph.Post[string]) {
				ran("count " + in.Body)
				return n + 1, []agentgraph.Post[string]{{Body: fmt.Sprint(in.Body, n+1)}}
			})),
			"shout": agentgraph.Atomic(agentgraph.Each(func(in agentgraph.Post[string]) []agentgraph.Post[string] {
				ran("shout " + in.Body)
				return []agentgraph.Post[string]{{Body: in.Body + "!"}}
			})),
		})
		if err != nil {
			return nil, err
		}
		var log []agentgraph.Post[string]
		r := agentgraph.NewResumable("talk", func(s *agentgraph.Step) error {
			var err error
			log, err = agentgraph.RunMeeting(s, "meeting", roster, []agentgraph.Post[string]{
				agentgraph.NewPost("user", []string{"line.1"}, "a"), agentgraph.NewPost("user", []string{"line.1"}, "b"),
			})
			return err
		}, &agentgraph.ResumableOptions{Store: store})
		_, err = r.Run(context.Background(), "talk/1", nil)
		if err == nil && len(log) != 6 {
			return nil, fmt.Errorf("a log of %d posts", len(log))
		}
		return log, err
	})
}
