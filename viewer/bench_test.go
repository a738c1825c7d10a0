package viewer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// BenchmarkPages: each page on a store of 1,000 runs of 100 steps. "first" is the list
// of a viewer that has not read the store yet.
func BenchmarkPages(b *testing.B) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.NoError(b, sample.Fill(ctx, store))
	for i := range 1000 {
		require.NoError(b, sample.Steps(ctx, store, fmt.Sprintf("run-%04d", i), 100))
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			body(b, New(store, nil), "/")
		}
	})
	for _, page := range []struct{ name, target string }{
		{"runs", "/"}, {"search", "/?q=run-09"}, {"run", "/run?id=run-0500"}, {"panel", "/panel?id=run-0500&step=50"},
		{"meeting", "/meeting?id=panel&step=0"}, {"turns", "/meeting.json?id=panel&step=0"}, {"waiting", "/waiting"},
	} {
		b.Run(page.name, func(b *testing.B) {
			v := newViewer(store, &Options{})
			clock := v.now()
			v.now = func() time.Time { clock = clock.Add(fresh); return clock } // no list is kept
			h := v.handler()
			body(b, h, page.target)
			for b.Loop() {
				body(b, h, page.target)
			}
		})
	}
}

// BenchmarkLong: the page of a run that holds 50 MB which are no ASCII, of a viewer
// that has not read it yet, and again.
func BenchmarkLong(b *testing.B) {
	for _, text := range []struct{ name, piece string }{{"German", "längere Wörter über "}, {"Japanese", "日本語のテキスト"}} {
		store, long := agentgraph.NewMemStore(), strings.Repeat(text.piece, 50_000_000/len(text.piece))
		_, err := agentgraph.NewResumable("long", func(s *agentgraph.Step) error {
			return s.Step("make", func(s *agentgraph.Step) error { s.Set("long", long); return nil })
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "long", nil)
		require.NoError(b, err)
		b.Run(text.name+"/first", func(b *testing.B) {
			for b.Loop() {
				body(b, New(store, nil), "/run?id=long&step=0")
			}
		})
		b.Run(text.name+"/again", func(b *testing.B) {
			h := New(store, nil)
			body(b, h, "/run?id=long&step=0")
			for b.Loop() {
				body(b, h, "/run?id=long&step=0")
			}
		})
	}
}
