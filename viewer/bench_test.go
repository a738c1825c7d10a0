package viewer

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// BenchmarkPages: each page on a store of 1,000 runs of 100 steps, in memory and in
// files. "first" is the list of a viewer that has not read the store yet, which may lack
// some of them.
func BenchmarkPages(b *testing.B) {
	memory := agentgraph.NewMemStore()
	files, err := filestore.Open(b.TempDir(), nil)
	require.NoError(b, err)
	defer files.Close()
	for _, s := range []struct {
		name  string
		store agentgraph.Store
	}{{"memory", memory}, {"files", files}} {
		fillMuch(b, s.store)
		b.Run(s.name, func(b *testing.B) { benchmarkPages(b, s.store) })
	}
}

func fillMuch(b *testing.B, store agentgraph.Store) {
	ctx, whole := context.Background(), agentgraph.NewMemStore()
	require.NoError(b, sample.Fill(ctx, whole))
	for i := range 1000 {
		require.NoError(b, sample.Steps(ctx, whole, fmt.Sprintf("run-%04d", i), 100))
	}
	for id, err := range whole.Runs(ctx) {
		require.NoError(b, err)
		records := recordsOf(b, whole, id)
		last := len(records) - 1
		require.NoError(b, store.Append(ctx, id, 0, records[0]))
		require.NoError(b, store.Append(ctx, id, 1, records[1:last]...))
		require.NoError(b, store.Append(ctx, id, uint64(last), records[last]))
	}
}

func benchmarkPages(b *testing.B, store agentgraph.Store) {
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
			h := restless(store).handler()
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
