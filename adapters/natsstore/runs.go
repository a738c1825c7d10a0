package natsstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// runOf is the run whose subject it is.
func (s *Store) runOf(subject string) (string, error) {
	runID, ok := unescaped(strings.TrimPrefix(subject, s.stream+"."))
	if !ok || agentgraph.CheckRunID(runID) != nil {
		return "", fmt.Errorf("%sruns: %w: subject %q stands for none", prefix, agentgraph.ErrBadRunID, subject)
	}
	return runID, nil
}

// subjects gives the stream's subjects until give says no.
func (s *Store) subjects(ctx context.Context, give func(subject string) bool) error {
	return pages(ctx, give, func(offset int) ([]string, int, error) { return s.subjectsFrom(ctx, offset) })
}

// subjectsFrom is a page of them, in order, and how many there are in all.
func (s *Store) subjectsFrom(ctx context.Context, offset int) (list []string, total int, err error) {
	call, request := "STREAM.INFO."+s.stream, map[string]any{"subjects_filter": s.stream + ".*", "offset": offset}
	err = s.link.patiently(ctx, apiSubject(call), func(wait time.Duration) error {
		var info struct {
			failure
			Total int `json:"total"`
			State struct {
				Subjects map[string]uint64 `json:"subjects"`
			} `json:"state"`
		}
		err := s.link.api(ctx, call, request, wait, &info)
		list, total = slices.Sorted(maps.Keys(info.State.Subjects)), info.Total
		return err
	})
	return list, total, err
}

// pages gives a sorted list that comes in pages and changes meanwhile, each once,
// and all that are there throughout. A page begins with the last one of the page
// before. When it begins beyond it, what was in between may have moved to the
// front, and the page before is read again.
func pages(ctx context.Context, give func(string) bool, page func(offset int) (list []string, total int, err error)) error {
	last, offset, size := "", 0, 1
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, total, err := page(offset)
		if err != nil {
			return err
		}
		if offset > 0 && (len(list) == 0 || list[0] > last) {
			offset = max(0, offset-size)
			continue
		}
		for _, name := range list {
			if name <= last {
				continue
			}
			if !give(name) {
				return ctx.Err()
			}
			last = name
		}
		if offset+len(list) >= total {
			return nil
		}
		size = len(list)
		offset += max(1, size-1)
	}
}
