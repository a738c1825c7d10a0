// Package filestore keeps each run's journal in a file of its own, one JSON object
// a line:
//
//	$ jq -c '[.seq, .kind]' runs/order%2f17.jsonl # of the run order/17
//
// Line n is record n. A record has the keys seq, time, kind and data, and besides
// them crc, a checksum (CRC-32C) of the line and all lines before it; more, where
// an append goes on in the next line; and in the first line run, the run's ID, and
// life, a random text that tells this journal from a later one of the same ID.
//
// An append is one write and one sync under a lock on the file, and costs what it
// appends. The first one to a run through a Store reads the journal once, unless a
// Read has done so. Whatever a Read gives is on the disk.
//
// What a crash can leave at the end of a file, an append that did not arrive whole,
// was never acknowledged. Readers pass over it, and the next append moves it to
// the file beside, with the ending .torn, and tells the logger. Any other damage,
// one changed byte anywhere, is [agentgraph.ErrCorrupt], a [*CorruptError] that
// says where, and is left as it is. Two things cannot be told: a file cut off
// precisely between two appends is a good, shorter journal (a Store that knew it
// longer says so), and where the last append has lost whole sectors of the disk
// (a run of zero bytes), or its end, it counts as one that did not arrive.
//
// The directory must be on a file system that keeps what it has synced. Several
// processes may use it at once where there is flock (Linux, macOS, BSD); elsewhere
// (Windows) one at a time.
package filestore

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/recent"
)

const prefix = "agentgraph: "

// Options are what [Open] may be told. The zero value is ready.
type Options struct {
	Logger *slog.Logger // gets a warning when an end that is torn is moved aside; default slog.Default
}

// Store is an [agentgraph.Store] in a directory. It is safe for concurrent use.
// Besides the files that its calls use it keeps up to 32 open, those it appended to
// last, where there is flock; elsewhere none.
type Store struct {
	disk   disk
	logger *slog.Logger
	busy   keyLock
	tails  recent.Map[tail]
	idle   idle

	open   sync.RWMutex // held for reading while a call uses the disk
	closed bool
}

var _ agentgraph.Store = (*Store)(nil)

// Open opens the directory. Where there is none it makes it, and those above it, and
// syncs their names. It reads no journal. The caller closes the store.
func Open(dir string, o *Options) (*Store, error) {
	d, err := openDir(dir, syncPath)
	if err != nil {
		return nil, fmt.Errorf("%sopen file store: %w", prefix, err)
	}
	return newStore(d, o), nil
}

func newStore(d disk, o *Options) *Store {
	s := &Store{disk: d, logger: slog.Default(), idle: idle{most: mostIdle}}
	if o != nil && o.Logger != nil {
		s.logger = o.Logger
	}
	return s
}

// openDir makes the directory durable before anything is put in it.
func openDir(dir string, sync func(path string) error) (disk, error) {
	if err := makeDir(dir, sync); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return osDisk{root}, nil
}

// makeDir makes a directory, and those above it that are missing. It syncs the
// parent of each: a crash that takes one name takes all below it. Where that fails
// it takes them away again, for the next Open to make and sync.
func makeDir(dir string, sync func(path string) error) error {
	made := missing(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range made {
		if err := sync(filepath.Dir(d)); err != nil {
			for _, d := range slices.Backward(made) {
				_ = os.Remove(d)
			}
			return err
		}
	}
	return nil
}

// missing gives a directory and those above it that are not there, the highest first.
func missing(dir string) (list []string) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			slices.Reverse(list)
			return list
		}
		list = append(list, d)
	}
}

// Close waits for the appends under way and gives the directory back. Any later
// call is [fs.ErrClosed]; a loop over Read that has begun may go on, and gives its
// file back when it ends. Close may be called again.
func (s *Store) Close() error {
	s.open.Lock()
	defer s.open.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.idle.close()
	if err := s.disk.close(); err != nil {
		return fmt.Errorf("%sclose file store: %w", prefix, err)
	}
	return nil
}

var errClosed = fmt.Errorf("the store is closed: %w", fs.ErrClosed)

// use begins a call that needs the disk; done ends it.
func (s *Store) use() (done func(), err error) {
	s.open.RLock()
	if s.closed {
		s.open.RUnlock()
		return nil, errClosed
	}
	return s.open.RUnlock, nil
}

// hold begins a call that has a run to itself within this Store; done ends it.
func (s *Store) hold(ctx context.Context, runID string) (done func(), err error) {
	closing, err := s.use()
	if err != nil {
		return nil, err
	}
	unlock, err := s.busy.lock(ctx, runID)
	if err != nil {
		closing()
		return nil, err
	}
	return func() { unlock(); closing() }, nil
}
