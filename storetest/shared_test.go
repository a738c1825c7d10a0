package storetest_test

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/storetest"
)

// data is what several values are over: a store in memory, and how often each run was
// deleted.
type data struct {
	*agentgraph.MemStore
	mu    sync.Mutex
	lives map[string]int
}

func newData() *data { return &data{MemStore: agentgraph.NewMemStore(), lives: map[string]int{}} }

// length is how long a journal is. No value learns of its life by that.
func (d *data) length(run string) (n uint64) {
	for range d.MemStore.Read(context.Background(), run, 0) {
		n++
	}
	return n
}

// value is a good store over data. It fences by the life of a journal that it knew.
type value struct {
	*data
	known map[string]int
}

func newValue(d *data) *value { return &value{data: d, known: map[string]int{}} }

func (v *value) Append(ctx context.Context, run string, after uint64, records ...agentgraph.Record) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if known, ok := v.known[run]; ok && after > 0 && known != v.lives[run] {
		return agentgraph.ErrConflict
	}
	err := v.MemStore.Append(ctx, run, after, records...)
	if err == nil && len(records) > 0 {
		v.known[run] = v.lives[run]
	}
	return err
}

func (v *value) Read(ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		v.mu.Lock()
		records := v.MemStore.Read(ctx, run, after)
		if after == 0 {
			v.known[run] = v.lives[run]
		}
		v.mu.Unlock()
		records(yield)
	}
}

func (v *value) Delete(ctx context.Context, run string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lives[run]++
	return v.MemStore.Delete(ctx, run)
}

func TestShared(t *testing.T) {
	storetest.RunShared(t, func(*testing.T) func() agentgraph.Store {
		d := newData()
		return func() agentgraph.Store { return newValue(d) }
	})
}

// faulty gives values with a fault, all over one data. A fault that goes from value to
// value has a memory in common.
func faulty(fault func() func() *broken) func() func() agentgraph.Store {
	return func() func() agentgraph.Store {
		d, next := newData(), fault()
		return func() agentgraph.Store {
			s := next()
			s.Store = newValue(d)
			return s
		}
	}
}

// alone is a fault of each value by itself.
func alone(fault func() *broken) func() func() agentgraph.Store {
	return faulty(func() func() *broken { return fault })
}

// shares are faults that one value alone does not show, each with a rule that must
// notice it.
func shares() map[string]struct {
	rule  string
	share func() (open func() agentgraph.Store)
} {
	type entry = struct {
		rule  string
		share func() (open func() agentgraph.Store)
	}
	return map[string]entry{
		"each has its own": {"read", func() func() agentgraph.Store {
			return func() agentgraph.Store { return newValue(newData()) }
		}},
		"reads what it knew": {"read", alone(func() *broken {
			return &broken{read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
				return func(yield func(agentgraph.Record, error) bool) {
					for _, r := range s.once(run) {
						if r.Seq > after && !yield(r, nil) {
							return
						}
					}
				}
			}}
		})},
		"compares with what it knew": {"conflict", alone(func() *broken {
			return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.notes[run] == after {
					after = max(after, s.Store.(*value).length(run)) // whoever has appended meanwhile
				}
				err := s.Store.Append(ctx, run, after, records...)
				if err == nil {
					s.notes = map[string]uint64{run: after + uint64(len(records))}
				}
				return err
			}}
		})},
		"a winner for each value": {"writers", faulty(func() func() *broken {
			var mu sync.Mutex
			winners := map[uint64]*broken{}
			return func() *broken {
				return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
					mu.Lock()
					defer mu.Unlock()
					err := s.Store.Append(ctx, run, after, records...)
					switch {
					case err == nil:
						winners[after] = s
					case len(records) == 1 && records[0].Data[0] != '"' && winners[after] != s:
						return nil
					}
					return err
				}}
			}
		})},
		"shows the others half a batch": {"read while appending", faulty(func() func() *broken {
			var readers atomic.Pointer[broken] // the value that was read last
			return func() *broken {
				return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
					if len(records) == 0 {
						return s.Store.Append(ctx, run, after)
					}
					for i, r := range records {
						if err := s.Store.Append(ctx, run, after+uint64(i), r); err != nil {
							return err
						}
						if reader := readers.Load(); reader != nil && reader != s {
							reader.letRead()
						}
					}
					return nil
				}, read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
					return func(yield func(agentgraph.Record, error) bool) {
						readers.Store(s)
						s.Store.Read(ctx, run, after)(yield)
						s.reads.Add(1)
					}
				}}
			}
		})},
		"lists its own": {"runs", alone(func() *broken {
			return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				err := s.Store.Append(ctx, run, after, records...)
				if err == nil {
					s.notes = map[string]uint64{run: 1}
				}
				return err
			}, runs: func(s *broken, ctx context.Context) iter.Seq2[string, error] {
				return func(yield func(string, error) bool) {
					for run, err := range s.Store.Runs(ctx) {
						if s.notes[run] == 1 && !yield(run, err) {
							return
						}
					}
				}
			}}
		})},
		"deletes for itself": {"delete", alone(func() *broken {
			return &broken{delete: func(s *broken, _ context.Context, run string) error {
				s.notes = map[string]uint64{run: s.Store.(*value).length(run)}
				return nil
			}, read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
				return s.Store.Read(ctx, run, max(after, s.notes[run]))
			}}
		})},
		"fences by the length alone": {"late append", func() func() agentgraph.Store {
			d := newData()
			return func() agentgraph.Store { return d }
		}},
		"gives way at the second try": {"late append", alone(func() *broken {
			return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				err := s.Store.Append(ctx, run, after, records...)
				v := s.Store.(*value)
				v.mu.Lock()
				defer v.mu.Unlock()
				if err != nil && v.length(run) == after {
					delete(v.known, run)
				}
				return err
			}}
		})},
		"knows what it wrote alone": {"late append of a reader", alone(func() *broken {
			return &broken{read: func(s *broken, ctx context.Context, run string, after uint64) iter.Seq2[agentgraph.Record, error] {
				return s.Store.(*value).MemStore.Read(ctx, run, after)
			}}
		})},
		"never gives way": {"going on anew", alone(func() *broken {
			return &broken{append: func(s *broken, ctx context.Context, run string, after uint64, records []agentgraph.Record) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.notes[run] > 0 && after > 0 {
					return agentgraph.ErrConflict
				}
				err := s.Store.Append(ctx, run, after, records...)
				if err != nil && s.Store.(*value).length(run) == after {
					s.notes = map[string]uint64{run: 1}
				}
				return err
			}}
		})},
	}
}

// once is the journal as it was when it was read first.
func (s *broken) once(run string) []agentgraph.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.kept[run]; ok {
		return s.kept[run]
	}
	list := []agentgraph.Record{}
	for r := range s.Store.Read(context.Background(), run, 0) {
		list = append(list, r)
	}
	s.kept = map[string][]agentgraph.Record{run: list}
	return list
}
