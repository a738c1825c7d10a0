package agentgraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestInwardPostsAreWaitedFor: a post from outside that waits at a/m is for y,
// which hears nothing of what m hears. z must not take the later post of w before
// that of y, though b, which holds y up, takes its time.
func TestInwardPostsAreWaitedFor(t *testing.T) {
	seat := agentgraph.External[string]()
	twice := make(chan struct{})
	b := agentgraph.Each(func(post) []post {
		select {
		case <-twice:
		case <-time.After(50 * time.Millisecond):
		}
		return nil
	})
	w := agentgraph.Machine(0, func(n int, _ post) (int, []post) {
		if n == 2 {
			return n, nil
		}
		return n + 1, []post{{Body: "w"}}
	})
	z := agentgraph.Machine(0, func(n int, in post) (int, []post) {
		if n == 1 && in.Body == "w" {
			close(twice)
		}
		return n + 1, nil
	})
	connect := func(ch, from string, to ...string) agentgraph.Graph {
		return agentgraph.Connect(agentgraph.Channels(ch), agentgraph.Vertex(from), agentgraph.Vertices(to...))
	}
	m := agentgraph.Nested(connect("c", "q", "y"), agentgraph.Registry[string]{
		"q": seat, "y": agentgraph.Atomic(agentgraph.Each(func(post) []post { return []post{{Body: "y"}} })),
	}, agentgraph.Hears("q"), agentgraph.Speaks("y"))
	a := agentgraph.Nested(agentgraph.Overlay(connect("bin", "s", "b"), connect("d", "b", "m")), agentgraph.Registry[string]{
		"s": seat, "b": agentgraph.Atomic(b), "m": m,
	}, agentgraph.Hears("m"), agentgraph.Speaks("m"))
	r, err := agentgraph.ToRoster(agentgraph.Overlay(connect("in", "u", "w"), connect("k", "w", "w", "z"), connect("o", "a", "z")), agentgraph.Registry[string]{
		"u": seat, "a": a, "w": agentgraph.Atomic(w), "z": agentgraph.Atomic(z),
	})
	require.NoError(t, err)

	meeting := r.With(agentgraph.Options{Parallel: 4}).Open()
	require.NoError(t, meeting.Post(
		agentgraph.NewPost("u", []string{"a/bin"}, ""),
		agentgraph.NewPost("u", []string{"a/m/c"}, ""),
		agentgraph.NewPost("u", []string{"in"}, ""),
	))
	require.NoError(t, meeting.Run(context.Background()))
	require.Equal(t, []string{"u#0", "u#1", "u#2", "w#0", "a/m/y#0", "w#1"}, ids(meeting.Log()))
	require.Zero(t, agentgraph.Surprises(meeting))
}
