package journal

import (
	"bytes"
	"context"
	"errors"
	"time"
)

// batch is lines that are appended together.
type batch struct {
	lines []Line
	lead  chan struct{} // makes one of those who wait the leader
	done  chan struct{}
	err   error
}

// await makes what those who wait for the batch listen to. Most batches have nobody
// but the one who appends them.
func (b *batch) await() {
	if b.done == nil {
		b.lead, b.done = make(chan struct{}, 1), make(chan struct{})
	}
}

// Write writes entries, those noted before them first, and returns when they are
// durable. Without any it writes what was noted.
func (w *Writer) Write(ctx context.Context, drafts ...*Draft) error {
	w.mu.Lock()
	if w.err != nil {
		defer w.mu.Unlock()
		return w.err
	}
	for _, d := range drafts {
		w.put(d)
	}
	w.flush()
	b := w.next
	if b == nil {
		w.mu.Unlock()
		return nil
	}
	if w.leading {
		b.await()
		w.mu.Unlock()
		select {
		case <-b.done:
			return b.err
		case <-b.lead:
			w.mu.Lock()
		}
	}
	w.leading = true
	w.next = nil
	err := w.err
	w.mu.Unlock()
	if err != nil {
		w.finish(b, err)
		return err
	}
	return w.lead(ctx, b)
}

// lead appends a batch. A log that panics does not leave others waiting.
func (w *Writer) lead(ctx context.Context, b *batch) error {
	err := errPanic
	defer func() { w.finish(b, err) }()
	err = w.append(ctx, b)
	return err
}

// Tick writes what was noted and, if there was silence for so long, that the attempt
// goes on; nothing while a write is under way. Nobody waits for what it writes. So
// its error is for good only if that is ErrTaken: else the lines are written with
// what comes next.
func (w *Writer) Tick(ctx context.Context, silence time.Duration) error {
	b := w.due(silence)
	if b == nil {
		return nil
	}
	failed := errPanic
	defer func() { w.finish(b, failed) }()
	err := w.append(ctx, b)
	if failed = err; err != nil && !errors.Is(err, ErrTaken) {
		failed = nil
		w.putBack(b)
	}
	return err
}

// due takes the lead of what a tick has to write; nil if there is nothing.
func (w *Writer) due(silence time.Duration) *batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leading || w.err != nil {
		return nil
	}
	w.flush()
	if w.next == nil && time.Since(w.last) >= silence {
		w.put(&Draft{Entry: Entry{Kind: KindAlive}})
	}
	b := w.next
	w.leading, w.next = b != nil, nil
	return b
}

// putBack puts the lines of a batch before those of the next one.
func (w *Writer) putBack(b *batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nil {
		w.next = &batch{}
	}
	w.next.lines = append(b.lines, w.next.lines...)
}

// finish ends a batch and hands on the lead.
func (w *Writer) finish(b *batch, err error) {
	w.mu.Lock()
	b.err = err
	if b.done != nil {
		close(b.done)
	}
	first := err != nil && w.err == nil
	if first {
		w.err = err
	}
	w.leading = w.next != nil && w.next.lead != nil
	if w.leading {
		w.next.lead <- struct{}{}
	}
	w.mu.Unlock()
	if first {
		w.lost(err)
	}
}

// append makes the lines of a batch durable, and leaves those that are not.
func (w *Writer) append(ctx context.Context, b *batch) error {
	for {
		conflict, err := w.log.Append(ctx, w.pos, b.lines)
		if err == nil {
			w.pos += uint64(len(b.lines))
			b.lines = nil
			return nil
		}
		rest, fresh, readErr := w.settle(ctx, b.lines)
		b.lines = rest
		switch {
		case errors.Is(readErr, ErrTaken):
			return readErr
		case len(rest) == 0:
			return nil
		case !conflict || readErr != nil:
			return err
		case fresh == 0:
			return ErrTaken // the log is shorter than it was
		}
	}
}

// settle reads what is new after an append that failed: its own lines, if only the
// answer was lost, answers from outside, or another owner's. It returns those of its
// own that are not there: all or none, or those that came to a tick's which had failed.
func (w *Writer) settle(ctx context.Context, lines []Line) (rest []Line, fresh int, err error) {
	strange := false
	err = w.read(ctx, func(l Line) error {
		fresh++
		if len(lines) > 0 && l.Kind == lines[0].Kind && bytes.Equal(l.Data, lines[0].Data) {
			lines = lines[1:]
			return nil
		}
		switch l.Kind {
		case KindAttempt:
			return ErrTaken
		case KindAnswer:
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.history.Add(l.Kind, l.Seq, l.Time, l.Data)
		}
		strange = true
		return nil
	})
	if err == nil && strange {
		err = w.owns(ctx)
	}
	return lines, fresh, err
}

// errPanic: it is not known what became of what was to be written.
var errPanic = errors.New("the log panicked")
