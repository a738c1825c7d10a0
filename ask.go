package agentgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/kind"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Question is something that a run waits for.
type Question struct {
	Step     string          `json:"step"`              // path
	Seat     Name            `json:"seat,omitempty"`    // of a meeting, when posts wait there; else empty
	Question json.RawMessage `json:"question"`          // what was asked, or the posts that wait, as a list
	Wants    string          `json:"wants,omitempty"`   // the kind of answer that fits; empty at a seat, and when several kinds may do
	Refused  string          `json:"refused,omitempty"` // why the answer that was given last is none
}

// WaitingError says what a run waits for. It is ErrWaiting. The run has not failed,
// and no process need live meanwhile: answer with [Answer] or [AnswerSeat], from
// anywhere, and run again.
type WaitingError struct {
	Questions []Question // in order of path and seat
}

// Error names the steps and seats.
func (e *WaitingError) Error() string {
	where := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		where[i] = strconv.Quote(q.Step)
		if q.Seat != "" {
			where[i] += ", seat " + strconv.Quote(q.Seat)
		}
		if q.Refused != "" {
			where[i] += " (" + q.Refused + ")"
		}
	}
	if len(where) > shownFaults {
		where = append(where[:shownFaults:shownFaults], fmt.Sprintf("and %d more", len(e.Questions)-shownFaults))
	}
	return fmt.Sprintf("%s%v: %s", prefix, ErrWaiting, strings.Join(where, "; "))
}

// Unwrap returns ErrWaiting.
func (e *WaitingError) Unwrap() error { return ErrWaiting }

// together makes one error of those of several steps that wait.
func together(steps []*Step) error {
	all := &WaitingError{}
	for _, c := range steps {
		var w *WaitingError
		if errors.As(c.branch.err, &w) {
			all.Questions = append(all.Questions, w.Questions...)
		}
	}
	all.sort()
	return all
}

func (e *WaitingError) sort() {
	slices.SortStableFunc(e.Questions, func(a, b Question) int {
		if c := strings.Compare(a.Step, b.Step); c != 0 {
			return c
		}
		return strings.Compare(a.Seat, b.Seat)
	})
}

// Ask is a step whose outcome comes from outside. It leaves the answer in the
// artifact of its name and returns it. As long as there is none it is a
// *[WaitingError], which the body should return; what else can be done, in steps
// started with Go, is done before the run ends. The next run goes on from there.
// The question counts as input: when it has changed it is asked again, and so it is
// when the answer does not fit T. While it is the same the answer stands, also where
// other artifacts have changed: let it say all that is decided on.
//
// What kind of JSON value T is read from stands in [Question.Wants]: boolean, number,
// string, list or object, or nothing where T reads several or has a method UnmarshalJSON.
// It is for whoever asks people, such as the pages and the command line, which take no
// other kind, and is no input: [Answer] takes any value.
//
// Without a run ID nobody can answer.
func Ask[T any](s *Step, name string, question any) (T, error) {
	var none T
	value, err := newValue(name, question)
	if err != nil {
		return none, err
	}
	path, ran := "", false
	w := work{
		prepare: func(c *Step) error {
			path = c.frame.path
			c.also = []journal.Digest{{Name: "question", Text: value.Sum.Text()}}
			return nil
		},
		body: func(c *Step) error {
			ran = true
			answer, err := c.ask(value, kind.ForType(reflect.TypeFor[T]()), func(v *snapshot.Value) error { var t T; return json.Unmarshal(v.Raw, &t) })
			if err != nil {
				return err
			}
			c.change(func() { c.put(name, answer) })
			return nil
		},
	}
	if err := s.do(name, "", w, nil); err != nil {
		return none, err
	}
	return resultOf[T](s, name, path, ran)
}

// ask returns the answer to a question, the last one that was given. One that does
// not fit is none: whoever gave it is to give another.
func (s *Step) ask(question *snapshot.Value, wants string, fit func(*snapshot.Value) error) (*snapshot.Value, error) {
	q := Question{Step: s.frame.path, Question: slices.Clone(question.Raw), Wants: wants}
	for asked := s.run.writer == nil; ; asked = true {
		answer := s.answer(question)
		if answer != nil {
			err := fit(answer)
			if err == nil {
				return answer, nil
			}
			q.Refused = fmt.Sprintf("the answer %.100s does not fit: %v", answer.Raw, err)
		}
		if asked {
			return nil, &WaitingError{Questions: []Question{q}}
		}
		if err := s.publish(q); err != nil { // after that, one may have come at just this moment
			return nil, err
		}
	}
}

// publish writes a question into the journal, where those who answer find it.
func (s *Step) publish(q Question) error {
	r := s.run
	r.mu.Lock()
	s.noteSelf()
	d := &journal.Draft{}
	d.Kind, d.ID, d.To, d.Step, d.Seat, d.Value = journal.KindAsk, r.writer.Number(), s.id, q.Step, q.Seat, q.Question
	d.Wants, d.Error = q.Wants, q.Refused
	r.mu.Unlock()
	return r.write(d)
}

// answer finds the last answer to a question.
func (s *Step) answer(question *snapshot.Value) *snapshot.Value {
	if s.run.writer == nil {
		return nil
	}
	a := s.run.writer.Answered(s.frame.path, question.Sum)
	if a == nil {
		return nil
	}
	v, err := snapshot.NewValue(a.Value)
	if err != nil {
		return nil
	}
	return v
}

// Answer answers the question that a step of a run asks, from any process and at
// any time; the next run goes on from there. The path is that of the question in
// the *[WaitingError]. Until the run has taken an answer, a later one replaces it.
// It is [ErrNoQuestion] when the step does not ask, or has its answer, and an
// *[ArtifactError] when JSON cannot hold the value. It reads the journal.
func Answer(ctx context.Context, store Store, runID, stepPath string, value any) error {
	v, err := newValue(stepPath, value)
	if err != nil {
		return err
	}
	return appendAnswer(ctx, store, runID, func(h *journal.History) (*journal.Draft, error) {
		asked := h.Asked(stepPath, "")
		if asked == nil {
			return nil, fmt.Errorf("%srun %q, step %q: %w", prefix, runID, stepPath, unasked(h))
		}
		d := &journal.Draft{}
		d.Kind, d.Step, d.To, d.Value = journal.KindAnswer, stepPath, asked.ID, v.Raw
		return d, nil
	})
}

// unasked is ErrNoQuestion, and ErrNoRun too where that is why.
func unasked(h *journal.History) error {
	if len(h.Attempts) == 0 {
		return fmt.Errorf("%w: %w", ErrNoQuestion, ErrNoRun)
	}
	return ErrNoQuestion
}

// appendAnswer appends what a function makes of the journal, however often that moves.
func appendAnswer(ctx context.Context, store Store, runID string, draft func(*journal.History) (*journal.Draft, error)) error {
	if store == nil {
		return noStore()
	}
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		h, end, err := historyRead(ctx, store, runID)
		if err != nil {
			return err
		}
		d, err := draft(h)
		if err != nil {
			return err
		}
		conflict, err := storeLog{store, runID}.Append(ctx, end, []journal.Line{h.Line(d)})
		if !conflict {
			return err
		}
	}
}

// Questions returns what a run waits for in its last attempt and has no answer to,
// in order of path and seat. It reads the journal.
func Questions(ctx context.Context, store Store, runID string) ([]Question, error) {
	if store == nil {
		return nil, noStore()
	}
	if ctx == nil {
		ctx = context.Background()
	}
	h, _, err := historyRead(ctx, store, runID)
	if err != nil {
		return nil, err
	}
	w := &WaitingError{}
	for _, asked := range h.Open() {
		w.Questions = append(w.Questions, Question{Step: asked.Step, Seat: asked.Seat, Question: asked.Value, Wants: asked.Wants, Refused: asked.Error})
	}
	w.sort()
	return w.Questions, nil
}
