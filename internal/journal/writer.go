package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// ErrTaken: another attempt has begun, or the log was deleted.
var ErrTaken = errors.New("taken by another")

// Line is an entry as a log keeps it.
type Line struct {
	Seq  uint64
	Time time.Time
	Kind string
	Data json.RawMessage
}

// Log is where entries are kept.
type Log interface {
	// Append adds lines if the last one still has the number after; else it is a
	// conflict, and nothing is added.
	Append(ctx context.Context, after uint64, lines []Line) (conflict bool, err error)
	Read(ctx context.Context, after uint64) iter.Seq2[Line, error]
}

// Writer writes the entries of one attempt. It is safe for concurrent use. What
// comes while an append is under way goes together into the next one.
type Writer struct {
	log  Log
	by   string
	lost func(error) // called once, when nothing can be written any more

	mu      sync.Mutex // over all below, but pos, which is the leader's
	history *History
	next    *batch
	skips   *Draft    // steps that were skipped, not yet in the batch
	last    time.Time // of the last entry
	leading bool
	err     error // for good

	pos uint64
}

// Open reads a log and begins an attempt, as attempt describes it and at the time
// it gives. It tells lost when, later, the log is found to be another's or cannot
// be written.
func Open(ctx context.Context, log Log, key *snapshot.Key, attempt func(*History) (*Draft, time.Time), lost func(error)) (*Writer, *History, error) {
	for {
		w := &Writer{log: log, history: NewHistory(key), lost: lost}
		conflict, err := w.begin(ctx, attempt)
		if err == nil {
			return w, w.history, nil
		}
		if !conflict {
			return nil, nil, err
		}
	}
}

func (w *Writer) begin(ctx context.Context, attempt func(*History) (*Draft, time.Time)) (conflict bool, err error) {
	if w.pos, err = w.history.Read(ctx, w.log, 0); err != nil {
		return false, err
	}
	d, now := attempt(w.history)
	d.Kind, d.ID, d.Format = KindAttempt, w.history.next(), Format
	w.by = d.By
	line := Line{Time: now, Kind: d.Kind, Data: w.history.encode(d)}
	w.last = now
	conflict, err = w.log.Append(ctx, w.pos, []Line{line})
	if err == nil {
		w.pos++
	} else if rest, _, lost := w.settle(ctx, []Line{line}); len(rest) > 0 || lost != nil {
		return conflict, err
	}
	return false, w.history.Add(line.Kind, w.pos, line.Time, line.Data)
}

// read takes in what the log has beyond the writer's place.
func (w *Writer) read(ctx context.Context, take func(Line) error) error {
	for line, err := range w.log.Read(ctx, w.pos) {
		if err != nil {
			return err
		}
		w.pos = line.Seq
		if err := take(line); err != nil {
			return err
		}
	}
	return nil
}

// Answered returns the last answer to a question of a step, or nil.
func (w *Writer) Answered(path string, asked canon.Digest) *Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range slices.Backward(w.history.answers[path]) {
		if ask := w.history.byID[a.To]; ask != nil && questionOf(ask) == (question{path, "", asked}) {
			return a
		}
	}
	return nil
}

// Number gives an entry its number.
func (w *Writer) Number() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.history.next()
}

// Turn returns a turn that was taken with this input, or nil.
func (w *Writer) Turn(key Taking) *Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.history.turns[key]
}

// WriteTurn writes a turn, which from then on is one that was taken.
func (w *Writer) WriteTurn(ctx context.Context, key Taking, d *Draft) error {
	if err := w.Write(ctx, d); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	turn := d.Entry
	w.history.turns[key] = &turn
	return nil
}

// Entry returns the ask or the turn of a number, or nil.
func (w *Writer) Entry(id int) *Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.history.byID[id]
}

// AnswerAt returns an answer to a meeting by its place in the log, or nil.
func (w *Writer) AnswerAt(path string, seq uint64) *Entry {
	return w.Unused(path, func(a, _ *Entry) bool { return a.Seq == seq })
}

// Own says whether an entry is one of this attempt.
func (w *Writer) Own(e *Entry) bool { return e.By == w.by }

// Unused returns the oldest answer to seats of a meeting that pick takes.
func (w *Writer) Unused(path string, pick func(answer, ask *Entry) bool) *Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.history.answers[path] {
		if a.Seat != "" && pick(a, w.history.byID[a.To]) {
			return a
		}
	}
	return nil
}

// Note writes an entry with the next append.
func (w *Writer) Note(d *Draft) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(d)
}

// NoteMeeting notes what a meeting begins with, or that it is as before.
func (w *Writer) NoteMeeting(d *Draft) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.history.meetings[d.Step]; m != nil && bytes.Equal(m.Value, d.Value) && bytes.Equal(m.Inputs, d.Inputs) {
		d.Value, d.Inputs, d.Of = nil, nil, []int{m.ID}
	}
	w.put(d)
}

// Skip notes that a step was skipped: the one at an index is the same as one that
// was done before. Those that follow each other share an entry.
func (w *Writer) Skip(index []int, at int64, of *Step, extra []string, agent string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	same := agent == of.Agent && slices.Equal(extra, of.Extra)
	if s := w.skips; s != nil && same && s.Status == "" && follows(s.Index, len(s.Of), index) {
		s.Of, s.Ats = append(s.Of, of.ID), append(s.Ats, at)
		return
	}
	w.flush()
	w.skips = &Draft{Entry: Entry{Kind: KindSkip, Index: index, Of: []int{of.ID}, Ats: []int64{at}}}
	if !same {
		w.skips.Status, w.skips.Extra, w.skips.Agent = Apart, extra, agent
	}
}

// follows says whether an index is n places after another.
func follows(first []int, n int, index []int) bool {
	last := len(first) - 1
	return len(index) == len(first) && index[last] == first[last]+n && slices.Equal(index[:last], first[:last])
}

// put adds an entry to the next batch. It keeps nothing of the draft itself, so that
// most need no memory of their own.
func (w *Writer) put(d *Draft) {
	w.flush()
	d.By = w.by
	if d.Kind == KindAsk {
		ask := d.Entry
		w.history.byID[d.ID] = &ask
	}
	if w.next == nil {
		w.next = &batch{}
	}
	w.last = time.Now()
	w.next.lines = append(w.next.lines, Line{Time: w.last, Kind: d.Kind, Data: w.history.encode(d)})
}

func (w *Writer) flush() {
	if d := w.skips; d != nil {
		w.skips = nil
		w.put(d)
	}
}

// owns returns ErrTaken unless the last attempt in the log is this one. An entry that
// is neither's is from an owner whose log was deleted, or this owner's was.
func (w *Writer) owns(ctx context.Context) error {
	var last Entry
	for l, err := range w.log.Read(ctx, 0) {
		switch {
		case err != nil:
			return err
		case l.Kind != KindAttempt:
			continue
		}
		last = Entry{}
		if err := decode(l.Data, &last); err != nil {
			return err
		}
	}
	if last.By != w.by {
		return ErrTaken
	}
	return nil
}
