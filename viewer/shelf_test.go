package viewer

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// counting counts the records that a store has given.
type counting struct {
	agentgraph.Store
	records atomic.Int64
}

func (s *counting) Read(ctx context.Context, id string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		for r, err := range s.Store.Read(ctx, id, after) {
			s.records.Add(1)
			if !yield(r, err) {
				return
			}
		}
	}
}

// TestPagesKeepWhatTheyRead: the pages of a run that has not changed read one record,
// be it long or short, and those of one that has changed are new.
func TestPagesKeepWhatTheyRead(t *testing.T) {
	ctx, store := context.Background(), &counting{Store: agentgraph.NewMemStore()}
	require.NoError(t, sample.Steps(ctx, store, "short", 3))
	require.NoError(t, sample.Steps(ctx, store, "long", 1000))
	h := New(store, nil)
	for _, id := range []string{"short", "long"} {
		first := body(t, h, "/run?id="+id)
		store.records.Store(0)
		require.Equal(t, first, body(t, h, "/run?id="+id))
		require.Equal(t, int64(1), store.records.Load(), id)
		body(t, h, "/panel?step=2&id="+id)
		require.Equal(t, int64(2), store.records.Load(), id)
		require.NoError(t, sample.Steps(ctx, store, id, 5))
		require.Contains(t, body(t, h, "/run?id="+id), "<h2>Attempt 2</h2>")
		require.NoError(t, store.Delete(ctx, id))
		require.Equal(t, 404, get(h, "/run?id="+id).Code)
		require.NoError(t, sample.Steps(ctx, store, id, 2))
		require.Len(t, places(body(t, h, "/run?id="+id)), 2)
	}
}

// TestRunsThatAreNotThere take no room, whoever asks for how many; nor does one that
// is gone.
func TestRunsThatAreNotThere(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.NoError(t, sample.Steps(ctx, store, "gone", 3))
	v := newViewer(store, &Options{})
	h := v.handler()
	body(t, h, "/run?id=gone")
	require.Equal(t, []string{"gone"}, v.shelf.ids())
	require.NoError(t, store.Delete(ctx, "gone"))
	for _, id := range []string{"never", "gone", "nowhere"} {
		require.Equal(t, 404, get(h, "/run?id="+id).Code)
	}
	require.Empty(t, v.shelf.ids())
}

// TestPagesAtOnce: many pages of one run that is kept.
func TestPagesAtOnce(t *testing.T) {
	h := New(filled(t), nil)
	targets := []string{"/run?id=panel", "/panel?id=panel&step=0.0", "/meeting?id=panel&step=0", "/meeting.json?id=panel&step=0", "/post?id=panel&step=0&n=1&show=1", "/", "/run?id=order&step=1", "/panel?id=order&step=1", "/value?id=order&of=in&name=customer"}
	want := map[string]string{}
	for _, target := range targets {
		want[target] = body(t, h, target)
	}
	var all sync.WaitGroup
	for range 4 {
		for _, target := range targets {
			all.Go(func() {
				got := get(h, target).Body.String()
				if !strings.HasPrefix(target, "/?") && target != "/" && got != want[target] {
					t.Errorf("%s: another page", target)
				}
			})
		}
	}
	all.Wait()
}

func TestShelf(t *testing.T) {
	var s shelf
	require.Nil(t, s.get("a"))
	for i := range 5 {
		s.put(&record{id: fmt.Sprint(i), mark: mark{size: room / 4, seq: 1}})
		s.put(&record{id: "used"})
	}
	require.Equal(t, []string{"used", "4", "3", "2"}, s.ids())
	require.Equal(t, "2", s.get("2").id)
	s.put(&record{id: "5", mark: mark{size: room / 4}})
	require.Equal(t, []string{"5", "2", "used", "4"}, s.ids())
	s.put(&record{id: "4"})
	require.Equal(t, []string{"4", "5", "2", "used"}, s.ids())
	s.forget("5")
	s.forget("nobody")
	require.Equal(t, []string{"4", "2", "used"}, s.ids())
	s.put(&record{id: "many records", mark: mark{seq: room / besides * 3 / 4}})
	require.Equal(t, []string{"many records", "4"}, s.ids())
	s.put(&record{id: "too long", mark: mark{size: room + 1}})
	require.Equal(t, []string{"many records", "4"}, s.ids())
}

func (s *shelf) ids() []string {
	var ids []string
	for _, rec := range s.runs {
		ids = append(ids, rec.id)
	}
	return ids
}
