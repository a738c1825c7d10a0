package viewer

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// TestDamagedFile: a journal that was damaged is listed as that, what stands before
// the damage is shown, and all else is as ever.
func TestDamagedFile(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	store := opened(t, dir)
	require.NoError(t, sample.Steps(ctx, store, "good", 5))
	require.NoError(t, sample.Steps(ctx, store, "bad", 200))
	damage(t, dir, "bad")
	h := New(store, nil)
	page := body(t, h, "/")
	require.Regexp(t, `(?s)<a href="run\?id=bad">.*?<span class="status damaged">`, page)
	require.Regexp(t, `(?s)<a href="run\?id=good">.*?<span class="status finished">`, page)
	require.Equal(t, []string{"run?id=bad"}, hrefs(body(t, h, "/?status=damaged"), "run?"))
	page = body(t, h, "/run?id=bad")
	require.Contains(t, page, "What stands before the damage is shown.")
	require.NotEmpty(t, places(page))
	require.Len(t, places(body(t, h, "/run?id=good")), 5)
	body(t, h, "/waiting")
}

func opened(t *testing.T, dir string) agentgraph.Store {
	store, err := filestore.Open(dir, &filestore.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	require.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// damage changes a byte in the middle of a run's file.
func damage(t *testing.T, dir, id string) {
	var name string
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), id) {
			name = path
		}
		return err
	}))
	require.NotEmpty(t, name)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(name, data, 0o600))
}

// TestDamagedFromTheFirst: records that make no sense.
func TestDamagedFromTheFirst(t *testing.T) {
	ctx, store := context.Background(), filled(t)
	require.NoError(t, store.Append(ctx, "nonsense", 0, agentgraph.Record{Kind: "step", Data: []byte(`{"by":"x"}`)}))
	require.NoError(t, store.Append(ctx, "future", 0, agentgraph.Record{Kind: "attempt", Data: []byte(`{"by":"x","id":1,"format":99}`)}))
	h := New(store, nil)
	require.ElementsMatch(t, []string{"run?id=nonsense", "run?id=future"}, hrefs(body(t, h, "/?status=damaged"), "run?"))
	for _, id := range []string{"nonsense", "future"} {
		_, err := agentgraph.Inspect(ctx, store, id)
		require.ErrorIs(t, err, agentgraph.ErrCorrupt)
		require.Contains(t, body(t, h, "/run?id="+id), `<p class="alert" role="alert"`)
		for _, target := range []string{"/panel?id=", "/meeting?step=0&id=", "/meeting.json?step=0&id=", "/value?name=x&id="} {
			require.Equal(t, http.StatusNotFound, get(h, target+id).Code, target)
		}
	}
}

// listless is a store that cannot name all of its runs.
type listless struct{ agentgraph.Store }

func (s listless) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if !yield("", agentgraph.ErrCorrupt) {
			return
		}
		s.Store.Runs(ctx)(yield)
	}
}

func TestRunsThatCannotBeNamed(t *testing.T) {
	page := body(t, New(listless{filled(t)}, nil), "/")
	require.Contains(t, page, agentgraph.ErrCorrupt.Error())
	require.Len(t, regexp.MustCompile(`<a href="run\?`).FindAllString(page, -1), 7)
}

// ill is a store that panics when it is read.
type ill struct{ agentgraph.Store }

func (ill) Read(context.Context, string, uint64) iter.Seq2[agentgraph.Record, error] { panic("ill") }

// TestStoreThatPanics: the panic is one of the request, which a server recovers, and
// the next request has the same.
func TestStoreThatPanics(t *testing.T) {
	h := New(ill{filled(t)}, nil)
	for range 2 {
		for _, target := range []string{"/", "/run?id=order"} {
			var told any
			func() {
				defer func() { told = recover() }()
				get(h, target)
			}()
			require.Contains(t, fmt.Sprint(told), "ill", target)
		}
	}
}
