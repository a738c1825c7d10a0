package agentgraph_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestLogger: what a run that fails and is run again tells its logger, whole.
func TestLogger(t *testing.T) {
	var told bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: timeless}))
	healthy := false
	r := agentgraph.NewResumable("review", func(s *agentgraph.Step) error {
		if err := s.Step("draft", func(*agentgraph.Step) error { return nil }); err != nil {
			return err
		}
		return s.Step("check", func(s *agentgraph.Step) error {
			if err := s.Step("lint", func(*agentgraph.Step) error { return nil }); err != nil || healthy {
				return err
			}
			return errors.New("no compiler")
		})
	}, &agentgraph.ResumableOptions{Store: agentgraph.NewMemStore(), Logger: logger})

	_, err := r.Run(context.Background(), "run 1", nil)
	require.Error(t, err)
	require.Equal(t, []string{
		`level=INFO msg="run began" resumable=review run="run 1" attempt=1`,
		`level=DEBUG msg="step executed" resumable=review run="run 1" attempt=1 step=draft`,
		`level=DEBUG msg="step executed" resumable=review run="run 1" attempt=1 step=check/lint`,
		`level=INFO msg="run ended" resumable=review run="run 1" attempt=1 status=failed executed=2 skipped=0 error="no compiler"`,
	}, lines(&told))

	healthy = true
	_, err = r.Run(context.Background(), "run 1", nil)
	require.NoError(t, err)
	require.Equal(t, []string{
		`level=INFO msg="run began" resumable=review run="run 1" attempt=2`,
		`level=DEBUG msg="step skipped" resumable=review run="run 1" attempt=2 step=draft`,
		`level=DEBUG msg="step skipped" resumable=review run="run 1" attempt=2 step=check/lint`,
		`level=DEBUG msg="step executed" resumable=review run="run 1" attempt=2 step=check`,
		`level=INFO msg="run ended" resumable=review run="run 1" attempt=2 status=finished executed=1 skipped=2 error=""`,
	}, lines(&told))
}

// TestLoggerOfOtherWork: one who runs what another has begun is told.
func TestLoggerOfOtherWork(t *testing.T) {
	var told bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&told, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: timeless}))
	store := agentgraph.NewMemStore()
	for _, name := range []string{"billing", "report", "report", "billing"} {
		work := agentgraph.NewResumable(name, func(*agentgraph.Step) error { return nil }, &agentgraph.ResumableOptions{Store: store, Logger: logger})
		_, err := work.Run(context.Background(), "2026-12-01", nil)
		require.NoError(t, err)
	}
	require.Equal(t, []string{
		`level=WARN msg="run was of other work" resumable=report run=2026-12-01 attempt=2 before=billing`,
		`level=WARN msg="run was of other work" resumable=billing run=2026-12-01 attempt=4 before=report`,
	}, lines(&told))
}

// timeless takes the time out of a record.
func timeless(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// lines takes what is in a buffer.
func lines(b *bytes.Buffer) []string {
	list := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	b.Reset()
	return list
}
