package otelobserver

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/seed-a2b66b4f/agentgraph"
)

// place is what is kept of a span of a run or a meeting while it lasts: when it
// began, and which of the turns in it made which posts.
type place struct {
	began time.Time

	mu     sync.Mutex
	makers map[string]trace.SpanContext
}

type placeKey struct{}

func withPlace(ctx context.Context) context.Context {
	return context.WithValue(ctx, placeKey{}, &place{began: time.Now()})
}

// placeOf returns nil where there is none.
func placeOf(ctx context.Context) *place {
	p, _ := ctx.Value(placeKey{}).(*place)
	return p
}

func (p *place) since() float64 {
	if p == nil {
		return 0
	}
	return time.Since(p.began).Seconds()
}

// made notes that a turn made posts. Their IDs are given later, but an author and a
// thread tell them as well.
func (p *place) made(by trace.SpanContext, author agentgraph.Name, input agentgraph.PostID, threads [][]agentgraph.PostID) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.makers == nil {
		p.makers = map[string]trace.SpanContext{}
	}
	for _, thread := range threads {
		if len(thread) == 0 {
			thread = []agentgraph.PostID{input}
		}
		p.makers[key(author, thread)] = by
	}
}

// maker finds the turn that made a post.
func (p *place) maker(author agentgraph.Name, thread []agentgraph.PostID) (trace.SpanContext, bool) {
	if p == nil {
		return trace.SpanContext{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	by, ok := p.makers[key(author, thread)]
	return by, ok
}

func key(author agentgraph.Name, thread []agentgraph.PostID) string {
	var b strings.Builder
	b.WriteString(author)
	for _, id := range thread {
		b.WriteByte(0)
		b.WriteString(id.String())
	}
	return b.String()
}
