package journal

import (
	"bytes"
	"context"
	"errors"
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
	err = w.append(ctx, b.lines)
	return err
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

// append makes lines durable.
func (w *Writer) append(ctx context.Context, lines []Line) error {
	for {
		conflict, err := w.log.Append(ctx, w.pos, lines)
		if err == nil {
			w.pos += uint64(len(lines))
			return nil
		}
		landed, fresh, readErr := w.settle(ctx, lines)
		switch {
		case errors.Is(readErr, ErrTaken):
			return readErr
		case landed:
			return nil
		case !conflict || readErr != nil:
			return err
		case fresh == 0:
			return ErrTaken // the log is shorter than it was
		}
	}
}

// settle reads what is new after an append that failed: its own lines, if only the
// answer was lost, answers from outside, or another owner's.
func (w *Writer) settle(ctx context.Context, lines []Line) (landed bool, fresh int, err error) {
	own, strange := 0, false
	err = w.read(ctx, func(l Line) error {
		fresh++
		if own < len(lines) && l.Kind == lines[own].Kind && bytes.Equal(l.Data, lines[own].Data) {
			own++
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
	return own == len(lines), fresh, err
}

// errPanic: it is not known what became of what was to be written.
var errPanic = errors.New("the log panicked")
