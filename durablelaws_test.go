package agentgraph_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// meet runs a meeting as a step and gives all that can be seen of it.
func meet[B any](store agentgraph.Store, runID string, r *agentgraph.Roster[B], inputs []agentgraph.Post[B]) (log []agentgraph.Post[B], result *agentgraph.Result, err error) {
	job := agentgraph.NewResumable("job", func(s *agentgraph.Step) (err error) {
		log, err = agentgraph.RunMeeting(s, "talk", r, inputs)
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	result, err = job.Run(context.Background(), runID, nil)
	return log, result, err
}

// counted counts the turns that agents really take. Use it as a middleware.
func counted(n *atomic.Int64) agentgraph.Middleware[string] {
	return func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			n.Add(1)
			return next(ctx, agent, in)
		}
	}
}

// made is a script, and what is posted first in it.
func made(seed uint64) (script, []post) {
	w := newWriter(seed)
	s := w.script()
	return s, posts(nothing{}, s.Actions[0].Posts)
}

// nothing is a meeting in which nothing was said.
type nothing struct{ meeting }

func (nothing) Log() []post { return nil }

// TestDurableMeetingIsTheMeeting: a meeting that runs as a step gives, byte for
// byte, the log and the error of one that does not, with a run ID and without,
// however many turns run at once; and when it is run again, the same without any
// agent being called for a turn that was recorded.
func TestDurableMeetingIsTheMeeting(t *testing.T) {
	var ended, waited, failed atomic.Int64
	n := scripts(150)
	everyScript(t, n, func(seed uint64) string {
		s, inputs := made(seed)
		plain, err := agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(&world{}, ""))
		if err != nil {
			return err.Error()
		}
		m := plain.With(agentgraph.Options{MaxTurns: s.MaxTurns}).Open()
		if m.Post(inputs...) != nil {
			return ""
		}
		wantErr := m.Run(context.Background())
		want := asJSON(t, m.Log())
		waiting := wantErr == nil && len(m.Pending()) > 0
		switch {
		case waiting:
			waited.Add(1)
		case wantErr != nil:
			failed.Add(1)
		default:
			ended.Add(1)
		}
		store := agentgraph.NewMemStore()
		seen := map[string]bool{}
		for i, c := range []struct {
			runID    string
			parallel int
		}{{"", 1}, {"", 8}, {"one", 1}, {"one", 2}, {"two", 2}, {"eight", 8}, {"eight", 1}, {"one", 8}} {
			var calls atomic.Int64
			r := plain.With(agentgraph.Options{MaxTurns: s.MaxTurns, Parallel: c.parallel}).Use(counted(&calls))
			log, result, err := meet(store, c.runID, r, inputs)
			if got := asJSON(t, log); got != want {
				return fmt.Sprintf("%d, run ID %q, parallel %d:\n%s\n%s\n%s", i, c.runID, c.parallel, want, got, s)
			}
			if waiting != errors.Is(err, agentgraph.ErrWaiting) || !waiting && kind(err) != kind(wantErr) {
				return fmt.Sprintf("%d, run ID %q: error %q and %q\n%s", i, c.runID, text(wantErr), text(err), s)
			}
			if told := toldOfLast(t, store, c.runID, result); told != "" {
				return fmt.Sprintf("%d, run ID %q, parallel %d: %s\n%s", i, c.runID, c.parallel, told, s)
			}
			most := 0
			if kind(err) == "agent" {
				most = 1 // it fails again
			}
			ahead := wantErr != nil && c.parallel > 1 // and perhaps is dropped
			if seen[c.runID] && !ahead && int(calls.Load()) > most {
				return fmt.Sprintf("%d, run ID %q: %d agents are called again\n%s", i, c.runID, calls.Load(), s)
			}
			seen[c.runID] = c.runID != ""
		}
		return ""
	})
	t.Log(n, "scripts:", ended.Load(), "ended,", waited.Load(), "waited,", failed.Load(), "failed")
	if *seedFlag == 0 {
		for _, met := range []*atomic.Int64{&ended, &waited, &failed} {
			require.Greater(t, int(met.Load())*20, n)
		}
	}
}

// toldOfLast says where the journal and the result of an attempt differ.
func toldOfLast(t *testing.T, store agentgraph.Store, runID string, result *agentgraph.Result) string {
	if runID == "" {
		return ""
	}
	runs, err := agentgraph.NewResumable("job", nil, &agentgraph.ResumableOptions{Store: store}).StepsRun(context.Background(), runID)
	if err != nil {
		return err.Error()
	}
	a, b := asJSON(t, result.Steps), asJSON(t, runs[len(runs)-1])
	if a == b {
		return ""
	}
	return "the result and the journal differ:\n" + a + "\n" + b
}
