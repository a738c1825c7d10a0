package chaostest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// diary is a file into which the bodies of steps write, in whichever process, that
// they begin. A step that begins though the journal has it as done is written down
// as again, unless its worker has lost the run to another one and does not know yet:
// nobody can keep that from beginning, and the fence keeps it from counting. The
// zero diary writes nothing.
type diary struct {
	file  string
	store agentgraph.Store

	mu       sync.Mutex
	attempts map[string]int // that this process has begun, by run
}

func (d *diary) begin(ctx context.Context, runID, path string) error {
	if d.file == "" {
		return nil
	}
	done, attempts, err := acknowledged(ctx, d.store, runID)
	if err != nil {
		return err
	}
	d.mu.Lock()
	mine := d.attempts[runID]
	d.mu.Unlock()
	word := "begin"
	switch {
	case attempts > mine:
		word = "lost"
	case done[path] > 0:
		word = "again"
	}
	return d.write(fmt.Sprintf("%s %s %s\n", word, runID, path))
}

// Handle notes which attempt it is that begins.
func (d *diary) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "run began" {
		return nil
	}
	var run string
	var attempt int
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "run":
			run = a.Value.String()
		case "attempt":
			attempt = int(a.Value.Int64())
		}
		return true
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attempts == nil {
		d.attempts = map[string]int{}
	}
	d.attempts[run] = attempt
	return nil
}

func (d *diary) Enabled(context.Context, slog.Level) bool { return true }
func (d *diary) WithAttrs([]slog.Attr) slog.Handler       { return d }
func (d *diary) WithGroup(string) slog.Handler            { return d }
func (d *diary) options() *agentgraph.ResumableOptions {
	return &agentgraph.ResumableOptions{Logger: slog.New(d)}
}

func (d *diary) write(line string) error {
	f, err := os.OpenFile(d.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line)
	return err
}

// acknowledged counts how often the journal has each step and each turn as done, by
// path, and how many attempts it has.
func acknowledged(ctx context.Context, store agentgraph.Store, runID string) (counts map[string]int, attempts int, err error) {
	counts = map[string]int{}
	paths := map[int]string{}
	for r, err := range store.Read(ctx, runID, 0) {
		if err != nil {
			return nil, 0, err
		}
		var e journal.Entry
		if err := json.Unmarshal(r.Data, &e); err != nil {
			return nil, 0, err
		}
		if e.Step != "" {
			paths[e.ID] = e.Step
		}
		switch {
		case r.Kind == journal.KindAttempt:
			attempts++
		case r.Kind == journal.KindStep:
			counts[paths[e.ID]]++
		case r.Kind == journal.KindTurn && e.Status == "":
			counts[turnPath(e.Agent, e.N)]++
		}
	}
	return counts, attempts, nil
}

func turnPath(agent string, n int) string { return fmt.Sprintf("talk/%s#%d", agent, n) }

// TestDiary: what TestChaos looks for would be seen.
func TestDiary(t *testing.T) {
	store := agentgraph.NewMemStore()
	d := &diary{store: store}
	_, err := chaosFlow(d, 0).On(store).Run(t.Context(), "run", map[string]any{"id": "run"})
	require.NoError(t, err)
	d.file = filepath.Join(t.TempDir(), "diary")
	require.NoError(t, d.begin(t.Context(), "run", "prepare-0"))
	require.NoError(t, d.begin(t.Context(), "run", "part-1/check-part-1"))
	require.NoError(t, d.begin(t.Context(), "run", "talk/ann#0"))
	require.NoError(t, d.begin(t.Context(), "run", "talk/ann#99"))
	d.attempts["run"] = 0
	require.NoError(t, d.begin(t.Context(), "run", "prepare-0"))
	text, err := os.ReadFile(d.file)
	require.NoError(t, err)
	require.Equal(t, "again run prepare-0\nagain run part-1/check-part-1\nagain run talk/ann#0\nbegin run talk/ann#99\nlost run prepare-0\n", string(text))
}
