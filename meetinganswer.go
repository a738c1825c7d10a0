package agentgraph

import (
	"errors"
	"fmt"
	"slices"
)

// Answer posts from a seat what [AnswerSeat] posts there in a durable meeting: a post
// without a thread cites all that waits at the seat, which is answered by that; one
// without an address goes wherever the seat posts to. From is the seat's, whatever
// stands there. All are committed or none.
//
// It is [ErrNoQuestion] where there is no such seat, or nothing waits at it, and
// [ErrNotConnected] for a channel that the meeting has not. To say something at a seat
// unasked is for [Meeting.Post].
func (m *Meeting[B]) Answer(seat Name, posts ...Post[B]) error {
	answers, err := m.answers(seat, posts)
	if err != nil {
		return fmt.Errorf("%sanswer at seat %q: %w", prefix, seat, err)
	}
	return m.Post(answers...)
}

// answers are the posts with what a seat adds to them.
func (m *Meeting[B]) answers(seat Name, posts []Post[B]) ([]Post[B], error) {
	m.begin()
	e, ok := m.roster.find(seat)
	if !ok || m.roster.entries[e].kind != KindExternal || !m.loop.HasWaiting(e) {
		return nil, ErrNoQuestion
	}
	if len(posts) == 0 {
		return nil, errors.New("no post was given")
	}
	var waiting []PostID
	for _, post := range m.loop.Waiting(e, nil) {
		waiting = append(waiting, m.log.id(post))
	}
	answers := slices.Clone(posts)
	for i := range answers {
		p := &answers[i]
		p.From = seat
		if len(p.Thread) == 0 {
			p.Thread = waiting
		}
		if len(p.To) == 0 {
			p.To = m.roster.address(m.roster.entries[e].address)
		}
		for _, ch := range p.To {
			if len(m.roster.route([]Channel{ch})) == 0 {
				return nil, fmt.Errorf("%w: %q, the seat's are %s", ErrNotConnected, ch, list(m.roster.address(m.roster.entries[e].address)))
			}
		}
	}
	return answers, nil
}
