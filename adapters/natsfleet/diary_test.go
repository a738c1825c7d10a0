package natsfleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// diary is a file into which the bodies of steps write, in whichever process, that
// they begin. A step that begins though the journal has it as done is written down
// as again, unless its worker has lost the run to another one and does not know yet:
// nobody can keep that from beginning, and the fence keeps it from counting. The
// zero diary writes nothing.
type diary struct {
	file  string
	store agentgraph.Store

	mu       sync.Mutex
	attempts map[string]int // that this process has begun, by run
}

func (d *diary) begin(ctx context.Context, runID, path string) error {
	if d.file == "" {
		return nil
	}
	done, attempts, err := acknowledged(ctx, d.store, runID)
	if err != nil {
		return err
	}
	d.mu.Lock()
	mine := d.attempts[runID]
	d.mu.Unlock()
	word := "begin"
	switch {
	case attempts > mine:
		word = "lost"
	case done[path] > 0:
		word = "again"
	}
	return d.write(fmt.Sprintf("%s %s %s\n", word, runID, path))
}

// Handle notes which attempt it is that begins.
func (d *diary) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "run began" {
		return nil
	}
	var run string
	var attempt int
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "run":
			run = a.Value.String()
		case "attempt":
			attempt = int(a.Value.Int64())
		}
		return true
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attempts == nil {
		d.attempts = map[string]int{}
	}
	d.attempts[run] = attempt
	return nil
}

func (d *diary) Enabled(context.Context, slog.Level) bool { return true }
func (d *diary) WithAttrs([]slog.Attr) slog.Handler       { return d }
func (d *diary) WithGroup(string) slog.Handler            { return d }
func (d *diary) options() *agentgraph.ResumableOptions {
	return &agentgraph.ResumableOptions{Logger: slog.New(d)}
}

func (d *diary) write(line string) error {
	f, err := os.OpenFile(d.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}

// acknowledged counts how often the journal has each step and each turn as done, by
// path, and how many attempts it has.
func acknowledged(ctx context.Context, store agentgraph.Store, runID string) (counts map[string]int, attempts int, err error) {
	counts = map[string]int{}
	paths := map[int]string{}
	for r, err := range store.Read(ctx, runID, 0) {
		if err != nil {
			return nil, 0, err
		}
		var e journal.Entry
		if err := json.Unmarshal(r.Data, &e); err != nil {
			return nil, 0, err
		}
		if e.Step != "" {
			paths[e.ID] = e.Step
		}
		switch {
		case r.Kind == journal.KindAttempt:
			attempts++
		case r.Kind == journal.KindStep:
			counts[paths[e.ID]]++
		case r.Kind == journal.KindTurn && e.Status == "":
			counts[turnPath(e.Agent, e.N)]++
		}
	}
	return counts, attempts, nil
}

func turnPath(agent string, n int) string { return fmt.Sprintf("talk/%s#%d", agent, n) }

// register gives a fleet the flows of the tests.
func register(f *natsfleet.Fleet, d *diary) error {
	if err := f.Register(chaosFlow(d, 40*time.Millisecond)); err != nil {
		return err
	}
	return f.Register(poison(d))
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
