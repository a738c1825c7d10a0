package filestore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// journal is an open file that nobody else can change, until it is unlocked. After
// any error it is closed and opened anew: so a file whose sync has failed is never
// trusted again.
type journal struct {
	file
	disk  disk
	run   string
	name  string
	life  string // of what was appended through it; empty before. No one changes that any more
	fresh bool   // this Store has not seen it: its name in the directory may not be durable
}

// openJournal opens a run's file and locks it; nil if there is none.
func openJournal(ctx context.Context, d disk, run string, flag int) (*journal, error) {
	j := &journal{disk: d, run: run, name: fileName(run)}
	for {
		f, err := d.open(j.name, flag)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		j.file = f
		current, err := j.claim(ctx)
		if err != nil {
			return nil, err
		}
		if current {
			return j, nil
		}
	}
}

// claim locks the file, and tells whether it is the run's; if not, or on an error,
// it is closed.
func (j *journal) claim(ctx context.Context) (current bool, err error) {
	current, err = j.lock(ctx)
	if !current || err != nil {
		j.close()
	}
	return current, err
}

// lock waits for the lock, and tells whether the file still stands under its name:
// whoever had the lock may have deleted it.
func (j *journal) lock(ctx context.Context) (current bool, err error) {
	const shortest, longest = 50 * time.Microsecond, 2 * time.Millisecond
	for pause := shortest; ; pause = min(2*pause, longest) {
		locked, err := j.tryLock()
		if err != nil {
			return false, err
		}
		if locked {
			return j.disk.holds(j.name, j.file)
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// close gives the file back, and with it the lock. Nothing unsynced is in it that
// anyone was told of.
func (j *journal) close() { _ = j.Close() }

// knows tells whether this is the journal that the tail is of, and its size.
func (j *journal) knows(known tail) (same bool, size int64, err error) {
	info, err := j.Stat()
	if err != nil {
		return false, 0, err
	}
	life, err := j.stated()
	if err != nil {
		return false, 0, err
	}
	size = info.Size()
	same = known.life != "" && life == known.life
	if same && size < known.offset {
		return false, 0, &CorruptError{j.name, size, "the file is shorter than it was"}
	}
	j.fresh = !same
	return same, size, nil
}

// stated is the life that the first line states, empty if none.
func (j *journal) stated() (string, error) {
	if j.life != "" {
		return j.life, nil
	}
	head := make([]byte, frame.LifeLen(lifeLen))
	n, err := j.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return frame.LifeOf(head[:n]), nil
}

// lifeLen is the length of what rand.Text gives.
const lifeLen = 26

// end finds where the journal ends, and how many torn bytes stand beyond. It reads
// what is beyond the known tail.
func (j *journal) end(known tail) (now tail, torn int64, err error) {
	same, size, err := j.knows(known)
	if err != nil {
		return tail{}, 0, err
	}
	if !same {
		known = tail{}
	}
	if size == known.offset {
		return known, 0, nil
	}
	s := j.scan(known, size)
	for {
		_, err := s.batch()
		if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
			return s.tail, size - s.tail.offset, nil
		}
		if err != nil {
			return tail{}, 0, err
		}
	}
}

// quickEnd finds where to stop reading. A file that ends as a batch ends is read
// to its end; only another is looked through for its torn bytes.
func (j *journal) quickEnd(from tail, size int64) (int64, error) {
	last := make([]byte, min(int64(frame.EndLen), size-from.offset))
	if _, err := j.ReadAt(last, size-int64(len(last))); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if len(last) == 0 || frame.Ends(last) {
		return size, nil
	}
	s := j.scan(from, size)
	for {
		_, err := s.batch()
		var corrupt *CorruptError
		switch {
		case errors.As(err, &corrupt):
			return size, nil // what is good comes before the error
		case errors.Is(err, io.EOF) || errors.Is(err, errTorn):
			return s.tail.offset, nil
		case err != nil:
			return 0, err
		}
	}
}

// settle makes durable what stands in the file, whoever wrote it.
func (j *journal) settle() error {
	if !readersSync {
		return nil
	}
	if err := j.sync(); err != nil || !j.fresh {
		return err
	}
	return j.disk.sync()
}

// write appends a batch at the tail: one write, one sync.
func (j *journal) write(now tail, lines []frame.Line) (tail, error) {
	next := now
	if now.life == "" {
		next.life = rand.Text()
		lines[0].Life, lines[0].Run = next.life, j.run
	}
	text := make([]byte, 0, room(j.run, lines))
	for _, l := range lines {
		text, next.sum = frame.Append(text, l, next.sum)
		next.seq = l.Seq
	}
	next.offset += int64(len(text))
	if err := j.put(text, now.offset); err != nil {
		return tail{}, j.undo(now, err)
	}
	return next, nil
}

// room is about as many bytes as a batch takes, rarely less.
func room(run string, lines []frame.Line) int {
	const besides = 128 // keys, numbers and checksum of a line
	n := len(run) + lifeLen
	for _, l := range lines {
		n += len(l.Kind) + len(l.Data) + besides
	}
	return n
}

func (j *journal) put(text []byte, offset int64) error {
	if _, err := j.WriteAt(text, offset); err != nil {
		return err
	}
	if err := j.sync(); err != nil {
		return err
	}
	if j.fresh {
		return j.disk.sync()
	}
	return nil
}

// undo takes a failed append back. After a failed sync the system may hold bytes
// that it no longer tries to write: cutting them off keeps anyone from reading
// them. Where that fails too, they stay, as an append whose answer was lost or as
// torn bytes, and the next call reads them anew.
func (j *journal) undo(now tail, cause error) error {
	err := j.Truncate(now.offset)
	if err == nil {
		err = j.sync()
	}
	if err != nil {
		return fmt.Errorf("%w (and it may not be undone: %w)", cause, err)
	}
	return cause
}

// remove deletes the file, and that of torn bytes first, so that it never is left
// alone.
func (j *journal) remove() error {
	if err := j.disk.remove(j.name + tornEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := j.disk.remove(j.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return j.disk.sync()
}
