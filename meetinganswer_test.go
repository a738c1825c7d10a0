package agentgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// deskAsked is a meeting in which two posts wait at the seat ann, and one at bob.
func deskAsked(t *testing.T) *agentgraph.Meeting[string] {
	calls := 0
	m := desk(t, &calls).Open()
	require.NoError(t, m.Post(to("to a", "x"), to("to a", "y"), to("to b", "z")))
	require.NoError(t, m.Run(context.Background()))
	return m
}

// waits tells where how much waits.
func waits(m *agentgraph.Meeting[string]) map[string]int {
	n := map[string]int{}
	for _, w := range m.Pending() {
		n[w.At] = len(w.Posts)
	}
	return n
}

// TestMeetingAnswer is Post with what the seat adds.
func TestMeetingAnswer(t *testing.T) {
	m, byHand := deskAsked(t), deskAsked(t)
	require.Equal(t, map[string]int{"ann": 2, "bob": 1}, waits(m))
	require.NoError(t, m.Answer("ann", agentgraph.NewPost("whoever", nil, "yes"), agentgraph.NewPost("", []string{"b in"}, "no")))
	require.Equal(t, map[string]int{"bob": 1, "clerk": 2}, waits(m))

	all := []agentgraph.PostID{{From: "a", N: 0}, {From: "a", N: 1}}
	yes, no := agentgraph.NewPost("ann", []string{"a in"}, "yes"), agentgraph.NewPost("ann", []string{"b in"}, "no")
	yes.Thread, no.Thread = all, all
	require.NoError(t, byHand.Post(yes, no))
	require.Equal(t, byHand.Log(), m.Log())
	require.NoError(t, m.Run(context.Background()))
	require.NoError(t, byHand.Run(context.Background()))
	require.Equal(t, byHand.Log(), m.Log())
}

// TestMeetingAnswerOneByOne: a thread says what is answered.
func TestMeetingAnswerOneByOne(t *testing.T) {
	m := deskAsked(t)
	second := agentgraph.NewPost("ann", nil, "second")
	second.Thread = []agentgraph.PostID{{From: "a", N: 1}}
	posts := []post{second}
	require.NoError(t, m.Answer("ann", posts...))
	require.Equal(t, []post{second}, posts, "they are the caller's")
	require.Equal(t, map[string]int{"ann": 1, "bob": 1, "clerk": 1}, waits(m))
	require.NoError(t, m.Answer("ann", agentgraph.NewPost("ann", nil, "first")))
	require.Equal(t, map[string]int{"bob": 1, "clerk": 2}, waits(m))
}

// TestMeetingAnswerRefused: nothing is committed.
func TestMeetingAnswerRefused(t *testing.T) {
	calls := 0
	fresh := desk(t, &calls).Open()
	require.NoError(t, fresh.Post(to("to a", "x")))
	require.ErrorIs(t, fresh.Answer("a", agentgraph.NewPost("", nil, "yes")), agentgraph.ErrNoQuestion, "it waits at an agent")

	m := deskAsked(t)
	log, post := m.Log(), agentgraph.NewPost("", nil, "yes")
	for _, seat := range []string{"nobody", "src", "clerk", "a"} {
		err := m.Answer(seat, post)
		require.ErrorIs(t, err, agentgraph.ErrNoQuestion)
		require.EqualError(t, err, `agentgraph: answer at seat "`+seat+`": nothing is asked there`)
	}
	err := m.Answer("ann", post, agentgraph.NewPost("", []string{"a in", "tpyo"}, "yes"))
	require.ErrorIs(t, err, agentgraph.ErrNotConnected)
	require.ErrorContains(t, err, `answer at seat "ann": `)
	require.ErrorContains(t, err, `"tpyo", the seat's are "a in"`)
	require.Equal(t, log, m.Log())
	require.Equal(t, map[string]int{"ann": 2, "bob": 1}, waits(m))

	require.NoError(t, m.Answer("ann", post))
	require.ErrorIs(t, m.Answer("ann", post), agentgraph.ErrNoQuestion)
	require.NoError(t, m.Answer("bob", agentgraph.NewPost("", []string{agentgraph.Everyone}, "all")))
}

// TestMeetingAnswerNested: channels go by the full names that Answer takes.
func TestMeetingAnswerNested(t *testing.T) {
	team := agentgraph.Connect(agentgraph.Channels("reply"), agentgraph.Vertex("boss"), agentgraph.Vertex("clerk"))
	r, err := agentgraph.ToRoster(agentgraph.Vertex("team"), agentgraph.Registry[string]{
		"team": agentgraph.Nested(team, agentgraph.Registry[string]{
			"boss":  agentgraph.External[string](),
			"clerk": agentgraph.Atomic(agentgraph.Each(func(post) []post { return nil })),
		}, agentgraph.Hears("boss")),
	})
	require.NoError(t, err)
	m := r.Open()
	require.NoError(t, m.Post(to(agentgraph.Everyone, "x")))
	require.NoError(t, m.Run(context.Background()))
	require.Equal(t, map[string]int{"team/boss": 1}, waits(m))

	err = m.Answer("team/boss", agentgraph.NewPost("", []string{"reply"}, "yes"))
	require.ErrorIs(t, err, agentgraph.ErrNotConnected)
	require.ErrorContains(t, err, `the seat's are "team/reply"`)
	require.EqualError(t, m.Answer("team/boss"), `agentgraph: answer at seat "team/boss": no post was given`)
	require.NoError(t, m.Answer("team/boss", agentgraph.NewPost("", []string{"team/reply"}, "yes")))
	require.Equal(t, map[string]int{"team": 1}, waits(m))
}
