package filestore

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
)

// Runs implements [agentgraph.Store]. It opens every journal and reads its first
// append. A file that is not a journal, or that of a run that another file should
// hold, is [agentgraph.ErrCorrupt], and the others follow. Files with other endings
// than .jsonl are passed over.
func (s *Store) Runs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for name, err := range s.names() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield("", fmt.Errorf("%sruns: %w", prefix, err))
				return
			}
			runID, err := s.runOf(name)
			if err != nil {
				err = fmt.Errorf("%sruns: %w", prefix, err)
			} else if runID == "" {
				continue
			}
			if !yield(runID, err) {
				return
			}
		}
	}
}

// names gives the files that should be journals.
func (s *Store) names() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		done, err := s.use()
		if err != nil {
			yield("", err)
			return
		}
		names, err := s.disk.names()
		done()
		if err != nil {
			yield("", err)
			return
		}
		for _, name := range names {
			if filepath.Ext(name) == ending && !yield(name, nil) {
				return
			}
		}
	}
}

// runOf is whose journal a file is; empty if nobody's yet, or no more.
func (s *Store) runOf(name string) (string, error) {
	done, err := s.use()
	if err != nil {
		return "", err
	}
	defer done()
	return runOf(s.disk, name)
}
