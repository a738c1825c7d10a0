package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestReusedOutputs: an agent may give the same slice each time.
func TestReusedOutputs(t *testing.T) {
	build := func() *agentgraph.Roster[string] {
		var buf []post
		var thread []agentgraph.PostID
		slow := agentgraph.Each(func(post) []post {
			time.Sleep(10 * time.Millisecond)
			return []post{{Body: "slow"}}
		})
		fast := agentgraph.Each(func(in post) []post {
			thread = append(thread[:0], in.ID)
			buf = append(buf[:0], post{Body: "re " + in.Body, Thread: thread})
			return buf
		})
		g := agentgraph.Overlay(
			agentgraph.Connect(agentgraph.Channels("in"), agentgraph.Vertex("u"), agentgraph.Vertices("a", "b")),
			agentgraph.Connect(agentgraph.Channels("out"), agentgraph.Vertices("a", "b"), agentgraph.Vertex("sink")))
		r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"u": agentgraph.External[string](), "a": agentgraph.Atomic(slow), "b": agentgraph.Atomic(fast), "sink": agentgraph.External[string]()})
		require.NoError(t, err)
		return r
	}
	var in []post
	for i := range 8 {
		in = append(in, agentgraph.NewPost("u", []string{"in"}, fmt.Sprint(i)))
	}
	want, err := build().Run(context.Background(), in)
	require.NoError(t, err)
	got, err := build().With(agentgraph.Options{Parallel: 4}).Run(context.Background(), in)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// TestParallelWithoutLimit: the greatest number is a number like others.
func TestParallelWithoutLimit(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	meet := agentgraph.EachContext(func(ctx context.Context, _ post) ([]post, error) {
		both.Done()
		met := make(chan struct{})
		go func() { both.Wait(); close(met) }()
		select {
		case <-met:
			return nil, nil
		case <-time.After(time.Minute):
			return nil, errors.New("alone")
		}
	})
	r, err := agentgraph.ToRoster(agentgraph.Vertices("a", "b"), agentgraph.Registry[string]{"a": agentgraph.Atomic(meet), "b": agentgraph.Atomic(meet)})
	require.NoError(t, err)
	_, err = r.With(agentgraph.Options{Parallel: math.MaxInt}).Run(context.Background(), []post{toEveryone()})
	require.NoError(t, err)
}

// TestHearersOfManyChannelsDeepInside: the answer does not cost more with each level.
func TestHearersOfManyChannelsDeepInside(t *testing.T) {
	const depth, width = 24, 8
	var g agentgraph.Graph
	var channels []string
	for i := range width {
		ch := fmt.Sprint("c", i)
		g = agentgraph.Overlay(g, agentgraph.Connect(agentgraph.Channels(ch), agentgraph.Vertex("x"), agentgraph.Vertex("x")))
		channels = append(channels, strings.Repeat("t/", depth)+ch)
	}
	reg := agentgraph.Registry[string]{"x": agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil }))}
	for range depth {
		reg = agentgraph.Registry[string]{"t": agentgraph.Nested(g, reg)}
		g = agentgraph.Vertex("t")
	}
	r, err := agentgraph.ToRoster(g, reg)
	require.NoError(t, err)
	done := make(chan []string, 1)
	go func() { done <- r.Hearers(channels...) }()
	select {
	case got := <-done:
		require.Equal(t, []string{strings.Repeat("t/", depth) + "x"}, got)
	case <-time.After(time.Minute):
		t.Fatal("still at it")
	}
}

type pointerJSON struct{ n int }

func (p *pointerJSON) MarshalJSON() ([]byte, error)    { return json.Marshal(p.n) }
func (p *pointerJSON) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &p.n) }

func TestStateWithPointerMethods(t *testing.T) {
	a := agentgraph.StepperOf(agentgraph.Machine(pointerJSON{}, func(s pointerJSON, _ post) (pointerJSON, []post) { return pointerJSON{s.n + 1}, nil }))
	s, _, err := a.Step(a.Start(), post{})
	require.NoError(t, err)
	data, err := a.Save(s)
	require.NoError(t, err)
	require.Equal(t, "1", string(data))
	back, err := a.Load(data)
	require.NoError(t, err)
	require.Equal(t, s, back)
}

func TestPrefixOnce(t *testing.T) {
	once := func(err error) {
		t.Helper()
		require.Error(t, err)
		require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), err.Error())
	}
	// a state that cannot be saved, two graphs deep
	bad := agentgraph.Machine(make(chan int), func(s chan int, _ post) (chan int, []post) { return s, nil })
	inner, err := agentgraph.ToAgent(agentgraph.Vertex("x"), agentgraph.Registry[string]{"x": agentgraph.Atomic(bad)})
	require.NoError(t, err)
	outer, err := agentgraph.ToAgent(agentgraph.Vertex("t"), agentgraph.Registry[string]{"t": agentgraph.Atomic(inner)})
	require.NoError(t, err)
	s := agentgraph.StepperOf(outer)
	_, err = s.Save(s.Start())
	once(err)
	_, err = s.Load([]byte(`{"seats":[{"agent":"t","state":{"seats":[{"agent":"x","state":1}]}}]}`))
	once(err)
	_, err = s.Load([]byte(`{"seats":[{"agent":"t","state":{"seats":[{"agent":"y","state":1}]}}]}`))
	once(err)
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)

	// a panic with an error of ours
	_, ours := agentgraph.ToRoster[string](agentgraph.Vertex("a"), nil)
	boom := agentgraph.Each(func(post) []post { panic(ours) })
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(boom)})
	require.NoError(t, err)
	_, err = r.Run(context.Background(), []post{toEveryone()})
	once(err)
	require.ErrorIs(t, err, agentgraph.ErrMissingAgent)
}

// TestToAgentNamesake: a name that is taken as well is put further out.
func TestToAgentNamesake(t *testing.T) {
	var from atomic.Value
	nod := agentgraph.Each(func(in post) []post { from.Store(in.From); return nil })
	mute := agentgraph.Each(func(post) []post { return nil })
	a, err := agentgraph.ToAgent(agentgraph.Vertices("x", "../x"), agentgraph.Registry[string]{"x": agentgraph.Atomic(nod), "../x": agentgraph.Atomic(mute)}, agentgraph.Hears("x"))
	require.NoError(t, err)
	s := agentgraph.StepperOf(a)
	_, outs, err := s.Step(s.Start(), agentgraph.NewPost("x", nil, "hello"))
	require.NoError(t, err)
	require.Empty(t, outs)
	require.Equal(t, "../../x", from.Load())
}

func TestPortsAreCopied(t *testing.T) {
	names := []string{"x"}
	ports := []agentgraph.Port{agentgraph.Hears(names...), agentgraph.Speaks(names...)}
	mute := agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil }))
	node := agentgraph.Nested(agentgraph.Vertices("x", "y"), agentgraph.Registry[string]{"x": mute, "y": mute}, ports...)
	names[0] = "z"
	ports[0] = agentgraph.Hears("nobody")
	_, err := agentgraph.ToRoster(agentgraph.Vertex("t"), agentgraph.Registry[string]{"t": node})
	require.NoError(t, err)
}

func TestManyChannelsNamed(t *testing.T) {
	const n = 20_000
	var chs []string
	for i := range n {
		chs = append(chs, fmt.Sprint("c", i))
	}
	g := agentgraph.Connect(agentgraph.Channels(chs...), agentgraph.Vertex("a"), agentgraph.Vertex("s"))
	say := agentgraph.Each(func(post) []post { return []post{{To: chs}} })
	r, err := agentgraph.ToRoster(g, agentgraph.Registry[string]{"a": agentgraph.Atomic(say), "s": agentgraph.External[string]()})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { _, err := r.Run(context.Background(), []post{toEveryone()}); done <- err }()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		t.Fatal("still at it")
	}
}

func TestNilContexts(t *testing.T) {
	_, ok := agentgraph.TurnFrom(noContext)
	require.False(t, ok)
	lost := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(_ context.Context, agent string, in post) (outs []post, err error) {
			done := make(chan struct{})
			go func() { defer close(done); outs, err = next(nil, agent, in) }()
			<-done
			return
		}
	}
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil }))})
	require.NoError(t, err)
	_, err = r.Use(lost).Run(noContext, []post{toEveryone()})
	require.ErrorContains(t, err, "lost the context")
}

func TestZeroes(t *testing.T) {
	for name, f := range map[string]func(){
		"roster":  func() { var r agentgraph.Roster[string]; _, _ = r.Run(context.Background(), []post{toEveryone()}) },
		"entries": func() { var r agentgraph.Roster[string]; r.Entries() },
		"hearers": func() { var r agentgraph.Roster[string]; r.Hearers("a", "*") },
		"post":    func() { var m agentgraph.Meeting[string]; _ = m.Post(toEveryone()) },
		"run":     func() { var m agentgraph.Meeting[string]; _ = m.Run(context.Background()) },
		"pending": func() { var m agentgraph.Meeting[string]; m.Pending() },
		"log":     func() { var m agentgraph.Meeting[string]; m.Log() },
		"draw":    func() { var r agentgraph.Roster[string]; _ = agentgraph.DOT(io.Discard, &r) },
		"use": func() {
			var r agentgraph.Roster[string]
			_, _ = r.Use(nil).With(agentgraph.Options{Parallel: 2}).Run(noContext, []post{toEveryone()})
		},
	} {
		t.Run(name, func(t *testing.T) { require.NotPanics(t, f) })
	}
}

// TestNilTurnFunc: a middleware that returns nil is left out, and the others stay.
func TestNilTurnFunc(t *testing.T) {
	none := func(agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] { return nil }
	seen := 0
	count := func(next agentgraph.TurnFunc[string]) agentgraph.TurnFunc[string] {
		return func(ctx context.Context, agent string, in post) ([]post, error) {
			seen++
			return next(ctx, agent, in)
		}
	}
	r, err := agentgraph.ToRoster(agentgraph.Vertex("a"), agentgraph.Registry[string]{"a": echo("")})
	require.NoError(t, err)
	_, err = r.Use(none, count).Run(context.Background(), []post{toEveryone()})
	require.NoError(t, err)
	_, err = r.Use(count, none).Run(context.Background(), []post{toEveryone()})
	require.NoError(t, err)
	require.Equal(t, 2, seen)
}

// noContext is what a careless caller gives.
var noContext context.Context
