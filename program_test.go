package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

type post = agentgraph.Post[string]

// program is an agent in the tiny language of the conformance cases, whose
// README says what each op does. The fields after When are this package's own.
type program struct {
	Op      string   `json:"op"`
	Emit    []string `json:"emit,omitempty"`
	Sep     string   `json:"sep,omitempty"`
	By      []branch `json:"by,omitempty"`
	At      int      `json:"at,omitempty"`
	Message string   `json:"message,omitempty"`
	When    guard    `json:"when,omitzero"`

	To     [][]string `json:"to,omitempty"`      // of each: the channels of the i-th output, all where it has none
	Heal   int        `json:"heal,omitempty"`    // a failure goes away when the world's phase reaches it
	FailOn string     `json:"fail_on,omitempty"` // of each: the body that fails
}

// branch is one pair of a route: a prefix and the channels that it leads to.
type branch struct {
	Prefix   string
	Channels []string
}

func (b branch) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{b.Prefix, b.Channels})
}

func (b *branch) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&b.Prefix, &b.Channels})
}

// guard says which inputs an agent answers.
type guard struct {
	NotSelf bool `json:"not_self,omitempty"`
	MaxLen  *int `json:"max_len,omitempty"`
	Max     *int `json:"max,omitempty"`
}

// passes says whether an input gets through when so many have before it.
func (g guard) passes(self string, in post, passed int) bool {
	if g.NotSelf && in.From == self {
		return false
	}
	if g.MaxLen != nil && len(in.Body) > *g.MaxLen {
		return false
	}
	return g.Max == nil || passed < *g.Max
}

// world is what the agents of one meeting share with the test that runs them.
// Its phase changes between runs only: whoever reads it later is left behind,
// and the race detector says so.
type world struct {
	phase int
	delay func(self string, in post)
}

func (w *world) pause(self string, in post) {
	if w.delay != nil {
		w.delay(self, in)
	}
}

// respond is what the program makes of a history, worked out anew from nothing.
func (p program) respond(w *world, self string, history []post) ([]post, error) {
	in := history[len(history)-1]
	if p.fails(w, in, len(history)) {
		return nil, errors.New(p.Message)
	}
	passed, total := 0, 0
	for i, h := range history {
		ok := p.When.passes(self, h, passed)
		if ok {
			passed++
			total += len(h.Body)
		}
		if i == len(history)-1 && !ok {
			return nil, nil
		}
	}
	return p.outputs(self, history, total), nil
}

func (p program) fails(w *world, in post, heard int) bool {
	if p.Heal > 0 && w.phase >= p.Heal {
		return false
	}
	return p.At > 0 && heard == p.At || p.FailOn != "" && in.Body == p.FailOn
}

// outputs is what an accepted input yields. Only join and synth read more of the
// history than its last post and its length.
func (p program) outputs(self string, history []post, total int) []post {
	in := history[len(history)-1]
	switch p.Op {
	case "each":
		return p.emit(self, in, len(history))
	case "join":
		bodies := make([]string, len(history))
		for i, h := range history {
			bodies[i] = h.Body
		}
		return []post{{Body: strings.Join(bodies, p.Sep)}}
	case "sum":
		return []post{{Body: strconv.Itoa(total)}}
	case "route":
		return []post{{Body: in.Body, To: p.route(in.Body)}}
	case "synth":
		return []post{agentgraph.Reply("synth:"+strconv.Itoa(len(history)), history...)}
	case "sink", "fail":
		return nil
	}
	panic(fmt.Sprintf("no such op: %q", p.Op))
}

func (p program) emit(self string, in post, heard int) []post {
	var outs []post
	for i, body := range p.Emit {
		body = strings.ReplaceAll(body, "{body}", in.Body)
		body = strings.ReplaceAll(body, "{self}", self)
		body = strings.ReplaceAll(body, "{from}", in.From)
		body = strings.ReplaceAll(body, "{n}", strconv.Itoa(heard))
		out := post{Body: body}
		if i < len(p.To) {
			out.To = p.To[i]
		}
		outs = append(outs, out)
	}
	return outs
}

func (p program) route(body string) []string {
	for _, b := range p.By {
		if strings.HasPrefix(body, b.Prefix) {
			return b.Channels
		}
	}
	return nil
}

// stateless says whether an output depends on its input alone.
func (p program) stateless() bool {
	switch p.Op {
	case "each", "route", "sink":
		return p.When.Max == nil && p.At == 0 && !strings.Contains(strings.Join(p.Emit, ""), "{n}")
	}
	return false
}

// tally is the state of the programs that are machines.
type tally struct{ Heard, Passed, Total int }

// step takes a machine one input further, by its state alone.
func (p program) step(w *world, self string, s tally, in post) (tally, []post, error) {
	s.Heard++
	if p.fails(w, in, s.Heard) {
		return tally{}, nil, errors.New(p.Message)
	}
	if !p.When.passes(self, in, s.Passed) {
		return s, nil, nil
	}
	s.Passed++
	s.Total += len(in.Body)
	heard := make([]post, s.Heard)
	heard[s.Heard-1] = in
	return s, p.outputs(self, heard, s.Total), nil
}

// agent is the program as the library knows it: an Each where it has no state, a
// Tape where it reads its history, a Machine where a tally will do.
func (p program) agent(w *world, self string) agentgraph.Agent[string] {
	canFail := p.At > 0 || p.FailOn != ""
	switch {
	case p.stateless() && canFail:
		return agentgraph.EachContext(func(_ context.Context, in post) ([]post, error) {
			w.pause(self, in)
			return p.respond(w, self, []post{in})
		})
	case p.stateless():
		return agentgraph.Each(func(in post) []post {
			w.pause(self, in)
			outs, _ := p.respond(w, self, []post{in})
			return outs
		})
	case p.Op != "join" && p.Op != "synth" && canFail:
		return agentgraph.MachineContext(tally{}, func(_ context.Context, s tally, in post) (tally, []post, error) {
			w.pause(self, in)
			return p.step(w, self, s, in)
		})
	case p.Op != "join" && p.Op != "synth":
		return agentgraph.Machine(tally{}, func(s tally, in post) (tally, []post) {
			w.pause(self, in)
			s, outs, _ := p.step(w, self, s, in)
			return s, outs
		})
	case canFail:
		return agentgraph.TapeContext(func(_ context.Context, history []post) ([]post, error) {
			w.pause(self, history[len(history)-1])
			return p.respond(w, self, history)
		})
	}
	return agentgraph.Tape(func(history []post) []post {
		w.pause(self, history[len(history)-1])
		_ = append(history, post{Body: "scribbled past the end"})
		outs, _ := p.respond(w, self, history)
		return outs
	})
}
