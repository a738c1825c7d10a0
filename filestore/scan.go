package filestore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// CorruptError says where a journal is damaged. It is [agentgraph.ErrCorrupt].
type CorruptError struct {
	File   string // its name in the directory
	Offset int64  // of the line that is not what was written
	Reason string
}

// Error names the file and the offset.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v: %s at byte %d: %s", agentgraph.ErrCorrupt, e.File, e.Offset, e.Reason)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return agentgraph.ErrCorrupt }

// errTorn: what is left is an append that did not arrive whole.
var errTorn = errors.New("torn")

// scanner reads the batches of a journal.
type scanner struct {
	in    *bufio.Reader
	name  string
	run   string // empty: anyone's
	tail  tail   // behind the last whole batch
	end   int64
	lines []frame.Line
	long  []byte // a line longer than the reader's buffer
}

func (j *journal) scan(from tail, end int64) *scanner {
	const least, most = 512, 1 << 16
	size := min(max(end-from.offset, least), most)
	section := io.NewSectionReader(j, from.offset, end-from.offset)
	return &scanner{in: bufio.NewReaderSize(section, int(size)), name: j.name, run: j.run, tail: from, end: end}
}

// batch reads the next batch, which is good until the next call: io.EOF at the
// end, errTorn before a torn one, a CorruptError at damage.
func (s *scanner) batch() ([]frame.Line, error) {
	s.lines = s.lines[:0]
	for now := s.tail; ; {
		text, err := s.line()
		if err != nil {
			return nil, err
		}
		if len(text) == 0 {
			if len(s.lines) > 0 {
				return nil, errTorn
			}
			return nil, io.EOF
		}
		l, sum, err := frame.Decode(text, now.sum)
		if err != nil {
			return nil, s.judge(text, now)
		}
		if fault := s.misplaced(l, now); fault != "" {
			return nil, &CorruptError{s.name, now.offset, fault}
		}
		if l.Life != "" {
			now.life = l.Life
		}
		now.seq, now.sum, now.offset = l.Seq, sum, now.offset+int64(len(text))
		l.Data = bytes.Clone(l.Data)
		s.lines = append(s.lines, l)
		if !l.More {
			s.tail = now
			return s.lines, nil
		}
	}
}

// line reads the next line, which is good until the next call. The last may lack
// its newline; none is empty but at the end.
func (s *scanner) line() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			s.long = append(s.long, part...)
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case len(s.long) == 0:
			return part, nil
		}
		s.long = append(s.long, part...)
		return s.long, nil
	}
}

// misplaced tells what is wrong with a good line in this place.
func (s *scanner) misplaced(l frame.Line, now tail) string {
	switch {
	case l.Seq != now.seq+1:
		return fmt.Sprintf("record %d comes after %d", l.Seq, now.seq)
	case (l.Life != "") != (now.seq == 0):
		return "the run's ID stands in the first line alone"
	case l.Life != "" && s.run != "" && l.Run != s.run:
		return fmt.Sprintf("it is the journal of run %q", l.Run)
	}
	return ""
}

// judge tells whether bytes that are not a line are torn or damaged.
func (s *scanner) judge(text []byte, now tail) error {
	corrupt := &CorruptError{s.name, now.offset, "the line is not what was written"}
	if frame.Cut(text, now.sum) {
		return errTorn
	}
	if !frame.Hole(text, s.tail.offset, now.offset, s.end) {
		return corrupt
	}
	// Lost sectors at the end are torn. If another append follows, this one was whole.
	for at := now.offset; len(text) > 0; {
		at += int64(len(text))
		if at < s.end && frame.Ends(text) {
			return corrupt
		}
		var err error
		if text, err = s.line(); err != nil {
			return err
		}
	}
	return errTorn
}

// reader gives what a scanner finds.
type reader struct {
	*journal
	scanner *scanner
	whole   func(now tail) // told when all was read
}

// each gives the lines beyond a position, until yield has enough.
func (r *reader) each(ctx context.Context, after uint64, yield func(frame.Line) bool) error {
	for {
		lines, err := r.scanner.batch()
		if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
			if r.whole != nil {
				r.whole(r.scanner.tail)
			}
			return nil
		}
		if err != nil {
			return err
		}
		for _, l := range lines {
			if err := ctx.Err(); err != nil {
				return err
			}
			if l.Seq > after && !yield(l) {
				return nil
			}
		}
	}
}

// runOf is the run that the first batch of a file names, empty if it has none.
func runOf(d disk, name string) (string, error) {
	f, err := d.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	j := &journal{file: f, disk: d, name: name}
	defer j.close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	lines, err := j.scan(tail{}, info.Size()).batch()
	if errors.Is(err, io.EOF) || errors.Is(err, errTorn) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if run := lines[0].Run; fileName(run) == name {
		return run, nil
	}
	return "", &CorruptError{name, 0, fmt.Sprintf("it is the journal of run %q", lines[0].Run)}
}
