package storetest_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

// broken is a good store with a fault.
type broken struct {
	agentgraph.Store
	append func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error
	read   func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error]
	runs   func(s *broken, ctx context.Context) iter.Seq2[string, error]
	delete func(s *broken, ctx context.Context, run string) error

	reads atomic.Int64 // that have ended

	mu    sync.Mutex
	notes map[string]uint64
	kept  map[string][]agentgraph.Record
}

func (s *broken) Append(ctx context.Context, run string, after uint64, records ...agentgraph.Record) error {
	if s.append == nil {
		return s.Store.Append(ctx, run, after, records...)
	}
	return s.append(s, ctx, run, after, records)
}

// letRead waits until somebody has read, or nobody seems to.
func (s *broken) letRead() {
	before := s.reads.Load()
	for range 10 {
		if s.reads.Load() > before+1 { // one that began since
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func (s *broken) Read(ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
	if s.read == nil {
		return s.Store.Read(ctx, run, after)
	}
	return s.read(s, ctx, run, after)
}

func (s *broken) Runs(ctx context.Context) iter.Seq2[string, error] {
	if s.runs == nil {
		return s.Store.Runs(ctx)
	}
	return s.runs(s, ctx)
}

func (s *broken) Delete(ctx context.Context, run string) error {
	if s.delete == nil {
		return s.Store.Delete(ctx, run)
	}
	return s.delete(s, ctx, run)
}

// length is how long a journal is.
func (s *broken) length(run string) (n uint64) {
	for range s.Store.Read(context.Background(), run, 0) {
		n++
	}
	return n
}

// each changes what is read.
func each(change func(r agentgraph.Record) agentgraph.Record) *broken {
	return &broken{read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
		return func(yield func(agentgraph.Record, error) bool) {
			for r, err := range s.Store.Read(ctx, run, after) {
				if !yield(change(r), err) {
					return
				}
			}
		}
	}}
}

// named changes the run IDs that are used.
func named(change func(run string) string) *broken {
	return &broken{
		append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			return s.Store.Append(ctx, change(run), after, records...)
		},
		read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
			return s.Store.Read(ctx, change(run), after)
		},
	}
}

// stores are faults, each with a rule that must notice it.
func stores() map[string]struct {
	rule  string
	store *broken
} {
	type entry = struct {
		rule  string
		store *broken
	}
	return map[string]entry{
		"gaps": {"order", each(func(r agentgraph.Record) agentgraph.Record { r.Seq *= 2; return r })},
		"reads all": {"order", &broken{read: func(s *broken, ctx context.Context, run string, _ uint64) iter.Seq2[agentgraph.Record, error] {
			return s.Store.Read(ctx, run, 0)
		}}},
		"takes what is beyond": {"gaps", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			return s.Store.Append(ctx, run, min(after, s.length(run)), records...)
		}}},
		"takes what is late": {"conflict", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			return s.Store.Append(ctx, run, max(after, s.length(run)), records...)
		}}},
		"two winners": {"writers", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if last := s.length(run); last == after+1 && s.notes[run] == 0 && len(records) == 1 && run == "run" && string(records[0].Data) != "0" {
				s.notes = map[string]uint64{run: 1}
				return nil
			}
			return s.Store.Append(ctx, run, after, records...)
		}}},
		"keeps the zone": {"fields", each(func(r agentgraph.Record) agentgraph.Record {
			r.Time = r.Time.In(time.FixedZone("east", 3600))
			return r
		})},
		"drops the kind": {"fields", each(func(r agentgraph.Record) agentgraph.Record {
			r.Kind = strings.TrimSpace(strings.ToLower(r.Kind))
			return r
		})},
		"one by one": {"batch", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			if len(records) == 0 {
				return s.Store.Append(ctx, run, after)
			}
			for i, r := range records {
				if err := s.Store.Append(ctx, run, after+uint64(i), r); err != nil {
					return err
				}
			}
			return nil
		}}},
		"nothing is nothing": {"nothing", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			if len(records) == 0 {
				return nil
			}
			return s.Store.Append(ctx, run, after, records...)
		}}},
		"aliases what it is given": {"alias in", &broken{
			append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				err := s.Store.Append(ctx, run, after, records...)
				s.mu.Lock()
				defer s.mu.Unlock()
				if err == nil {
					if s.kept == nil {
						s.kept = map[string][]agentgraph.Record{}
					}
					s.kept[run] = append(s.kept[run], records...)
				}
				return err
			},
			read: keptRead,
		}},
		"writes behind": {"alias in", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			err := s.Store.Append(ctx, run, after, records...)
			for _, r := range records {
				_ = append(r.Data, '\n')
			}
			return err
		}}},
		"aliases what it gives": {"alias out", &broken{
			append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				err := s.Store.Append(ctx, run, after, records...)
				s.mu.Lock()
				defer s.mu.Unlock()
				if err != nil {
					return err
				}
				if s.kept == nil {
					s.kept = map[string][]agentgraph.Record{}
				}
				for i, r := range records {
					r, err = r.Stored(after + uint64(i) + 1)
					s.kept[run] = append(s.kept[run], r)
				}
				return err
			},
			read: keptRead,
		}},
		"shows half a batch": {"read while appending", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			for i, r := range records {
				if err := s.Store.Append(ctx, run, after+uint64(i), r); err != nil {
					return err
				}
				if len(records) == 3 { // as that rule appends
					s.letRead()
				}
			}
			return nil
		}, read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
			return func(yield func(agentgraph.Record, error) bool) {
				s.Store.Read(ctx, run, after)(yield)
				s.reads.Add(1)
			}
		}}},
		"never cancelled": {"cancelled", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			return s.Store.Append(context.WithoutCancel(ctx), run, after, records...)
		}}},
		"deletes nothing": {"delete", &broken{delete: func(*broken, context.Context, string) error { return nil }}},
		"forgets the tail": {"late append", &broken{
			append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				if s.length(run) == 0 && after > 0 && s.notes[run] == after {
					after = 0
				}
				return s.Store.Append(ctx, run, after, records...)
			},
			delete: func(s *broken, ctx context.Context, run string) error {
				s.notes = map[string]uint64{run: s.length(run)}
				return s.Store.Delete(ctx, run)
			},
		}},
		"small letters": {"odd run IDs", named(strings.ToLower)},
		"cuts IDs":      {"odd run IDs", named(func(run string) string { return run[:min(len(run), 255)] })},
		"mends IDs":     {"bad run IDs", named(func(run string) string { return strings.ToValidUTF8(run, "?") })},
		"floats": {"odd values", each(func(r agentgraph.Record) agentgraph.Record {
			r.Data = bytes.ReplaceAll(r.Data, []byte("9007199254740993"), []byte("9007199254740992"))
			return r
		})},
		"no NUL": {"odd values", each(func(r agentgraph.Record) agentgraph.Record {
			r.Data = bytes.ReplaceAll(r.Data, []byte(`\u0000`), nil)
			return r
		})},
		"mends values": {"bad values", &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
			for i := range records {
				records[i].Data = bytes.ToValidUTF8(records[i].Data, []byte("?"))
			}
			return s.Store.Append(ctx, run, after, records...)
		}}},
		"cuts values": {"a large value", each(func(r agentgraph.Record) agentgraph.Record { r.Data = r.Data[:min(len(r.Data), 1<<16)]; return r })},
		"lists some": {"many runs", &broken{runs: func(s *broken, ctx context.Context) iter.Seq2[string, error] {
			return func(yield func(string, error) bool) {
				n := 0
				for run, err := range s.Store.Runs(ctx) {
					if n++; n > 256 || !yield(run, err) {
						return
					}
				}
			}
		}}},
		"reads once": {"read in part", &broken{read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
			used := false
			return func(yield func(agentgraph.Record, error) bool) {
				for r, err := range s.Store.Read(ctx, run, after) {
					if used || !yield(r, err) {
						break
					}
				}
				used = true
			}
		}}},
	}
}

func keptRead(s *broken, _ context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		s.mu.Lock()
		kept := s.kept[run]
		s.mu.Unlock()
		for i, r := range kept[min(after, uint64(len(kept))):] {
			r.Seq = after + uint64(i) + 1
			r.Time = r.Time.UTC()
			if !yield(r, nil) {
				return
			}
		}
	}
}

const childVariable = "STORETEST_BROKEN"

// TestBroken: the kit notices each fault, by the rule that it breaks. The kit fails
// on purpose in a process of its own, which runs this test too.
func TestBroken(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		runBroken(t)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestBroken$", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	failed := map[string]bool{}
	for _, m := range regexp.MustCompile(`--- FAIL: TestBroken/([^ /]+/[^ ]+) `).FindAllSubmatch(out, -1) {
		failed[string(m[1])] = true
	}
	rules := map[string]string{}
	for name, c := range stores() {
		rules[name] = c.rule
	}
	for name, c := range shares() {
		rules[name] = c.rule
	}
	for name, rule := range rules {
		leaf := strings.ReplaceAll(fmt.Sprintf("%s/%s", name, rule), " ", "_")
		require.True(t, failed[leaf], "%s is not noticed\n%s", leaf, out)
	}
}

func runBroken(t *testing.T) {
	for name, c := range stores() {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(*testing.T) agentgraph.Store {
				return &broken{Store: agentgraph.NewMemStore(), append: c.store.append, read: c.store.read, runs: c.store.runs, delete: c.store.delete}
			})
		})
	}
	for name, c := range shares() {
		t.Run(name, func(t *testing.T) {
			storetest.RunShared(t, func(*testing.T) func() agentgraph.Store { return c.share() })
		})
	}
}
