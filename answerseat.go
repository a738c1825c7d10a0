package agentgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// AnswerSeat posts from a seat of a meeting that runs as a step, from any process and
// at any time; the next run goes on from there. The path is that of the meeting's
// step, as in the *[WaitingError]. A post without a thread cites all that waits at
// the seat, which is answered by that; one without an address goes wherever the seat
// posts to. From is the seat's, whatever stands there.
//
// An answer is for the posts that it cites, of those that wait at the seat now: if
// they do not wait there any more when the run comes to it, it is left out and the
// seat is asked again. Before the meeting has asked, it is taken when nothing else can
// go on there. Answers are taken one at a time, in the order in which they were given.
// Posts that wait together may be answered one by one, in one call or in several, each
// with what it answers in its thread.
//
// It is [ErrNotConnected] for a channel that the meeting has not, and [ErrNoQuestion]
// where there is no such meeting or seat, the meeting is over, or all that waits has
// its answer, and an *[ArtifactError] when JSON cannot hold a body. It reads the
// journal.
func AnswerSeat[B any](ctx context.Context, store Store, runID, stepPath string, seat Name, posts ...Post[B]) error {
	if len(posts) == 0 {
		return fmt.Errorf("%srun %q, step %q, seat %q: no post was given", prefix, runID, stepPath, seat)
	}
	kept := make([]output, len(posts))
	for i, p := range posts {
		_, raw, err := settled(p.Body)
		if err != nil {
			return &ArtifactError{Artifact: seat, Err: err}
		}
		kept[i] = output{p.To, p.Thread, raw}
	}
	if _, err := canon.Marshal(kept); err != nil { // a body that is nested as deep as one may be
		return &ArtifactError{Artifact: seat, Err: err}
	}
	return appendAnswer(ctx, store, runID, func(h *journal.History) (*journal.Draft, error) {
		d, err := seatAnswer(h, stepPath, seat, kept)
		if err != nil {
			return nil, fmt.Errorf("%srun %q, step %q, seat %q: %w", prefix, runID, stepPath, seat, err)
		}
		return d, nil
	})
}

// seatAnswer is the entry of an answer. What has no thread cites what still waits.
func seatAnswer(h *journal.History, path, seat string, kept []output) (*journal.Draft, error) {
	if !h.HasSeat(path, seat) {
		return nil, unasked(h)
	}
	if err := checkSeat(h, path, seat, kept); err != nil {
		return nil, err
	}
	d := &journal.Draft{}
	d.Kind, d.Step, d.Seat = journal.KindAnswer, path, seat
	if asked := h.Asked(path, seat); asked != nil {
		d.To = asked.ID
		var err error
		if kept, err = citing(kept, h.Remaining(asked)); err != nil {
			return nil, err
		}
	}
	var err error
	d.Value, err = canon.Marshal(kept)
	return d, err
}

// citing are outputs of which those without a thread cite these posts.
func citing(kept []output, asked []journal.AskedPost) ([]output, error) {
	thread := make([]PostID, len(asked))
	for i, p := range asked {
		if err := thread[i].UnmarshalText([]byte(p.ID)); err != nil {
			return nil, err
		}
	}
	kept = slices.Clone(kept)
	for i := range kept {
		switch {
		case len(kept[i].Thread) > 0:
		case len(thread) == 0:
			return nil, fmt.Errorf("%w: all that waits has its answer", ErrNoQuestion)
		default:
			kept[i].Thread = thread
		}
	}
	return kept, nil
}

// checkSeat refuses an address that nothing in the meeting has: a slip of the pen.
func checkSeat(h *journal.History, path, seat string, kept []output) error {
	s, channels := h.SeatOf(path, seat)
	for _, o := range kept {
		for _, ch := range o.To {
			if ch != Everyone && !slices.Contains(channels, ch) {
				return fmt.Errorf("%w: %q, the seat's are %s", ErrNotConnected, ch, list(s.Out))
			}
		}
	}
	return nil
}

// answer takes in the oldest answer that fits what waits, if there is one.
func (m *minutes[B]) answer(waiting []Waiting[B]) (bool, error) {
	w := m.step.run.writer
	if w == nil {
		return false, nil
	}
	a := w.Unused(m.step.frame.path, func(a, ask *journal.Entry) bool {
		return !slices.Contains(m.answered, a.Seq) && fits(a, ask, waiting) && m.reads(a)
	})
	if a == nil {
		return false, nil
	}
	return true, m.accept(a)
}

// fits says whether the posts that were answered still wait at the seat.
func fits[B any](a, ask *journal.Entry, waiting []Waiting[B]) bool {
	at := slices.IndexFunc(waiting, func(w Waiting[B]) bool { return w.At == a.Seat })
	if at < 0 || ask == nil {
		return at >= 0
	}
	_, ok := stillWaiting(a, ask, waiting[at].Posts)
	return ok
}

// stillWaiting returns the IDs of the posts that an answer is for, if all of them
// wait.
func stillWaiting[B any](a, ask *journal.Entry, posts []Post[B]) ([]PostID, bool) {
	meant := journal.Meant(ask, a)
	prints := map[string]bool{}
	for i := range posts {
		if print, err := printOf(&posts[i]); err == nil {
			prints[print] = true
		}
	}
	ids := make([]PostID, len(meant))
	for i, p := range meant {
		sum, err := canon.Sum(p.Text)
		if err != nil || !prints[sum.Text()] || ids[i].UnmarshalText([]byte(p.ID)) != nil {
			return nil, false
		}
	}
	return ids, true
}

// reads says whether the bodies of an answer are ones of this meeting, and remembers
// why not.
func (m *minutes[B]) reads(a *journal.Entry) bool {
	var kept []struct{ Body B }
	err := json.Unmarshal(a.Value, &kept)
	if err != nil {
		m.refused[a.Seat] = fmt.Sprintf("the answer %.100s does not fit: %v", a.Value, err)
	}
	return err == nil
}

// accept posts what was answered.
func (m *minutes[B]) accept(a *journal.Entry) error {
	var kept []output
	if err := json.Unmarshal(a.Value, &kept); err != nil {
		return err
	}
	seat, ok := m.roster.find(a.Seat)
	if !ok {
		return errNotRecorded
	}
	cited, err := m.cited(a)
	if err != nil {
		return err
	}
	posts := make([]Post[B], len(kept))
	for i, o := range kept {
		posts[i] = Post[B]{From: a.Seat, To: o.To, Thread: o.Thread}
		if len(o.To) == 0 {
			posts[i].To = m.roster.address(m.roster.entries[seat].address)
		}
		if len(o.Thread) == 0 {
			posts[i].Thread = cited
		}
		if err := json.Unmarshal(o.Body, &posts[i].Body); err != nil {
			return fmt.Errorf("%sanswer at seat %q: %w", prefix, a.Seat, err)
		}
	}
	m.answered = append(m.answered, a.Seq)
	delete(m.refused, a.Seat)
	return m.meeting.Post(posts...)
}

// cited is what an answer is for.
func (m *minutes[B]) cited(a *journal.Entry) ([]PostID, error) {
	for _, w := range m.meeting.Pending() {
		if w.At != a.Seat {
			continue
		}
		if ask := m.step.run.writer.Entry(a.To); ask != nil {
			if ids, ok := stillWaiting(a, ask, w.Posts); ok {
				return ids, nil
			}
		}
		ids := make([]PostID, len(w.Posts))
		for i, p := range w.Posts {
			ids[i] = p.ID
		}
		return ids, nil
	}
	return nil, errors.New(prefix + "nothing waits at the seat")
}
