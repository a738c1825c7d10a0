// Package filestore keeps each run's journal in a file of its own, one JSON object
// a line:
//
//	$ jq -c '[.seq, .kind]' runs/order%2d17.jsonl
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
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
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

// Open opens the directory, and makes it where there is none. It reads no journal.
// The caller closes the store.
func Open(dir string, o *Options) (*Store, error) {
	d, err := openDir(dir)
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
func openDir(dir string) (disk, error) {
	if _, err := os.Stat(dir); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		if err := syncPath(filepath.Dir(filepath.Clean(dir))); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return osDisk{root}, nil
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

// Append implements [agentgraph.Store].
//
// An older owner is fenced by more than the length: when the journal that this
// Store last knew was deleted and begun anew by another one, every append here that
// expects records conflicts until the new journal is read from its beginning. The
// random life in the first line tells them apart. A Store remembers this for some
// thousand runs, those it used last.
func (s *Store) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	lines, err := linesOf(runID, after, records)
	if err != nil {
		return err
	}
	if err := s.append(ctx, runID, after, lines); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// linesOf makes lines of records.
func linesOf(runID string, after uint64, records []agentgraph.Record) ([]frame.Line, error) {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return nil, err
	}
	lines := make([]frame.Line, len(records))
	for i, r := range records {
		r, err := r.Stored(after + 1 + uint64(i))
		if err != nil {
			return nil, err
		}
		lines[i] = frame.Line{Seq: r.Seq, Time: r.Time, Kind: r.Kind, Data: r.Data, More: i+1 < len(records)}
	}
	return lines, nil
}

func (s *Store) append(ctx context.Context, runID string, after uint64, lines []frame.Line) error {
	done, err := s.use()
	if err != nil {
		return err
	}
	defer done()
	unlock, err := s.busy.lock(ctx, runID)
	if err != nil {
		return err
	}
	defer unlock()
	flag := os.O_RDWR
	if after == 0 && len(lines) > 0 {
		flag |= os.O_CREATE
	}
	j, err := s.journal(ctx, runID, flag)
	if err != nil {
		return err
	}
	if j == nil {
		return compare(after, 0)
	}
	if err := s.appendTo(j, after, lines); err != nil {
		j.close()
		return err
	}
	s.keep(j)
	return nil
}

// journal is a run's, locked: the one that was kept, or opened; nil if there is none.
func (s *Store) journal(ctx context.Context, runID string, flag int) (*journal, error) {
	if j := s.idle.take(runID); j != nil {
		current, err := j.claim(ctx)
		if err != nil {
			return nil, err
		}
		if current {
			return j, nil
		}
	}
	return openJournal(ctx, s.disk, runID, flag)
}

// keep gives up the lock on a journal with which all went well, not the file.
func (s *Store) keep(j *journal) {
	if err := j.unlock(); err != nil {
		j.close()
		return
	}
	s.idle.put(j)
}

// appendTo appends to a journal that nobody else can change meanwhile.
func (s *Store) appendTo(j *journal, after uint64, lines []frame.Line) error {
	known := s.tails.Get(j.run)
	now, torn, err := j.end(known)
	if err != nil {
		return err
	}
	if err := compare(after, now.seq); err != nil {
		return err
	}
	if after > 0 && known.life != "" && known.life != now.life {
		return fmt.Errorf("%w: it was deleted and begun anew", agentgraph.ErrConflict)
	}
	if len(lines) == 0 {
		return nil
	}
	if torn > 0 {
		if err := j.moveAside(now.offset, torn, s.logger); err != nil {
			return err
		}
	}
	next, err := j.write(now, lines)
	if err != nil {
		return err
	}
	j.life = next.life
	s.tails.Set(j.run, next)
	return nil
}

// compare is the expected position against the true one.
func compare(after, last uint64) error {
	if after == last {
		return nil
	}
	return fmt.Errorf("%w: expected %d records, has %d", agentgraph.ErrConflict, after, last)
}

// Read implements [agentgraph.Store]. It gives what was there when the loop began,
// holds one batch in memory, and holds no lock in the body of the loop. It costs
// what it gives when after is where this Store last knew the end, else the whole
// journal.
func (s *Store) Read(ctx context.Context, runID string, after uint64) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		if err := agentgraph.CheckRunID(runID); err != nil {
			yield(agentgraph.Record{}, err)
			return
		}
		r, err := s.reader(ctx, runID, after)
		if err == nil && r != nil {
			defer r.close()
			err = r.each(ctx, after, func(l frame.Line) bool {
				return yield(agentgraph.Record{Seq: l.Seq, Time: l.Time, Kind: l.Kind, Data: l.Data}, nil)
			})
		}
		if err != nil {
			yield(agentgraph.Record{}, fmt.Errorf("%srun %q: %w", prefix, runID, err))
		}
	}
}

// reader opens a journal to read it up to its end as of now; nil if there is none.
func (s *Store) reader(ctx context.Context, runID string, after uint64) (*reader, error) {
	done, err := s.use()
	if err != nil {
		return nil, err
	}
	defer done()
	unlock, err := s.busy.lock(ctx, runID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	j, err := openJournal(ctx, s.disk, runID, os.O_RDONLY)
	if j == nil || err != nil {
		return nil, err
	}
	r, err := s.readerOf(j, after)
	if err != nil {
		j.close()
		return nil, err
	}
	return r, nil
}

func (s *Store) readerOf(j *journal, after uint64) (*reader, error) {
	known := s.tails.Get(j.run)
	same, size, err := j.knows(known)
	if err != nil {
		return nil, err
	}
	if !same || size > known.offset {
		if err := j.settle(); err != nil { // someone may have died between write and sync
			return nil, err
		}
	}
	from := tail{}
	if same && known.seq == after {
		from = known
	}
	end, err := j.quickEnd(from, size)
	if err != nil {
		return nil, err
	}
	if err := j.unlock(); err != nil {
		return nil, err
	}
	r := &reader{journal: j, scanner: j.scan(from, end)}
	if same || after == 0 {
		r.whole = func(now tail) { s.tails.Swap(j.run, known, now) }
	}
	return r, nil
}

// Runs implements [agentgraph.Store]. It opens every journal and reads its first
// append. A file that is no journal, or that of a run that another file should
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

// Delete implements [agentgraph.Store]. What was moved aside of the run goes too.
func (s *Store) Delete(ctx context.Context, runID string) error {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return err
	}
	if err := s.delete(ctx, runID); err != nil {
		return fmt.Errorf("%srun %q: %w", prefix, runID, err)
	}
	return nil
}

// delete leaves what is known of the journal in s.tails, to fence those who knew
// it too.
func (s *Store) delete(ctx context.Context, runID string) error {
	done, err := s.use()
	if err != nil {
		return err
	}
	defer done()
	unlock, err := s.busy.lock(ctx, runID)
	if err != nil {
		return err
	}
	defer unlock()
	j, err := s.journal(ctx, runID, os.O_RDWR)
	if err != nil {
		return err
	}
	if j == nil {
		return s.disk.sync() // one who deleted it before may have died too early
	}
	defer j.close()
	return j.remove()
}
