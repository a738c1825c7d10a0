package resumetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// tear cuts the file of a run, whose last append has so many lines, so that of
// these lines only the bytes that keep says are left.
func tear(dir, runID string, records int, keep func(lines [][]byte) int) error {
	path, text, err := fileOf(dir, runID)
	if err != nil {
		return fmt.Errorf("%stear a journal: %w", prefix, err)
	}
	lines := slices.Collect(bytes.Lines(text))
	if len(lines) < records {
		return fmt.Errorf("%stear a journal: %s has %d lines, and not the %d of the last append", prefix, path, len(lines), records)
	}
	last := lines[len(lines)-records:]
	if err := os.Truncate(path, int64(len(text)-size(last)+keep(last))); err != nil {
		return fmt.Errorf("%stear a journal: %w", prefix, err)
	}
	return nil
}

// fileOf finds the file of a run, which has its ID in the first line.
func fileOf(dir, runID string) (path string, text []byte, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return "", nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", nil, err
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		var head struct{ Run string }
		if json.Unmarshal(first, &head) == nil && head.Run == runID {
			return path, text, nil
		}
	}
	return "", nil, fmt.Errorf("run %q has no file in %s", runID, dir)
}
