package viewer

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/kind"
)

// waitingPage is what waits for people.
type waitingPage struct {
	Answers   bool
	Token     string
	Questions []questionView
	Earlier   string
	Later     string
	Answered  string // the step that was answered just now
	RunID     string // its run
	Read      progress
}

// questionView is a question, or what waits at a seat.
type questionView struct {
	RunID    string
	Step     string
	Seat     string
	Question valueView
	Print    string // of the question: an answer is for it alone
	Ago      string
	Last     time.Time
	Textless bool   // no text is an answer to what waits at a seat
	Wants    string // what the answer is to be; empty where that is not known
	JSON     bool   // the form has JSON chosen
	Typed    string // an answer that was refused,
	Refused  string // and why
}

// runsAsked is how many runs one page asks for what they wait for.
const runsAsked = 50

func (v *viewer) waiting(w http.ResponseWriter, r *http.Request) error {
	list, err := v.catalog.all(r.Context())
	if err != nil {
		return err
	}
	var asking []summary
	for _, s := range list.runs {
		if s.Asks && s.Status != agentgraph.RunFinished && s.Status != damaged {
			asking = append(asking, s)
		}
	}
	p := waitingPage{Answers: v.answers, Answered: r.FormValue("answered"), RunID: r.FormValue("id"), Read: list.progress()}
	if v.answers {
		p.Token = v.token
	}
	page := min(number(r, "page", 1), max(1, (len(asking)+runsAsked-1)/runsAsked))
	if page > 1 {
		p.Earlier = link("waiting", "page", page-1)
	}
	if page*runsAsked < len(asking) {
		p.Later = link("waiting", "page", page+1)
	}
	for _, s := range asking[(page-1)*runsAsked : min(page*runsAsked, len(asking))] {
		if err := v.ask(r.Context(), s, &p); err != nil {
			return err
		}
	}
	return v.show(w, http.StatusOK, "waiting.html", frame{Heading: "Waiting", Tab: "waiting", Follow: link("events", "after", list.print(v.now())), Data: p})
}

// ask adds what a run waits for.
func (v *viewer) ask(ctx context.Context, s summary, p *waitingPage) error {
	questions, err := agentgraph.Questions(ctx, v.store, s.RunID)
	if errors.Is(err, agentgraph.ErrCorrupt) {
		return nil // the list of runs tells
	}
	for _, q := range questions {
		shown := questionOf(s.RunID, q)
		shown.Last, shown.Ago = s.Last, ago(v.now().Sub(s.Last))
		p.Questions = append(p.Questions, shown)
	}
	return err
}

func questionOf(runID string, q agentgraph.Question) questionView {
	textless := q.Seat != "" && journal.Textless(q.Question)
	return questionView{
		RunID: runID, Step: q.Step, Seat: q.Seat, Print: printOf(q), Question: view("", q.Question, questionLink(runID, q)),
		Textless: textless, Wants: wanted(q), JSON: textless || kind.NoText(q.Wants),
	}
}

// wanted says what the answer to a question is to be, and how it is written.
func wanted(q agentgraph.Question) string {
	if kind.NoText(q.Wants) {
		return kind.Named(q.Wants) + ", in JSON"
	}
	return kind.Named(q.Wants)
}

func printOf(q agentgraph.Question) string {
	sum := sha256.Sum256(q.Question)
	return hex.EncodeToString(sum[:16])
}

// longestAnswer is that which a form may send.
const longestAnswer = 1 << 20

// answer takes what a form of the waiting page sends.
func (v *viewer) answer(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, longestAnswer)
	if err := v.checkForm(r); err != nil {
		return err
	}
	id, step, seat, err := askedBy(r)
	if err != nil {
		return err
	}
	q, err := v.stillAsked(r, id, step, seat)
	if err != nil {
		return err
	}
	value, err := answerOf(r, q)
	if err != nil {
		return v.askAgain(w, r, id, q, err)
	}
	if seat == "" {
		err = agentgraph.Answer(r.Context(), v.store, id, step, value)
	} else {
		err = agentgraph.AnswerSeat(r.Context(), v.store, id, step, seat, agentgraph.Post[json.RawMessage]{Body: value})
	}
	if errors.Is(err, agentgraph.ErrNoQuestion) {
		return &fault{http.StatusConflict, err.Error()}
	}
	if bad := (*agentgraph.ArtifactError)(nil); errors.As(err, &bad) {
		return v.askAgain(w, r, id, q, refused("A run cannot hold this answer: %v.", bad.Err))
	}
	if err != nil {
		return err
	}
	v.catalog.forget(id)
	// Relative, as every link here is: http.Redirect would make it one from the root,
	// out of the path that the handler is mounted at.
	w.Header().Set("Location", link("waiting", "answered", step, "id", id))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// checkForm refuses what no page of this handler has sent.
func (v *viewer) checkForm(r *http.Request) error {
	if err := v.origin.Check(r); err != nil {
		return &fault{http.StatusForbidden, err.Error()}
	}
	if err := r.ParseForm(); err != nil {
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			return &fault{http.StatusRequestEntityTooLarge, "The answer is longer than " + size(longestAnswer) + "."}
		}
		return refused("%v", err)
	}
	if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("token")), []byte(v.token)) != 1 {
		return &fault{http.StatusForbidden, "The form is an old one, or not from here: load the page again."}
	}
	return nil
}

// askedBy says where a form's question comes from. Its fields are escaped: a form
// would change the line ends in them.
func askedBy(r *http.Request) (id, step, seat string, err error) {
	fields := []struct {
		name string
		text *string
	}{{"id", &id}, {"step", &step}, {"seat", &seat}}
	for _, f := range fields {
		if *f.text, err = url.QueryUnescape(r.PostForm.Get(f.name)); err != nil {
			return "", "", "", refused("%s: %v", f.name, err)
		}
	}
	return id, step, seat, nil
}

// answerOf is a value as it was written: JSON, or a text. It refuses what is plainly no
// answer, for the run would find it out at the price of an attempt.
func answerOf(r *http.Request, q agentgraph.Question) (json.RawMessage, error) {
	text := typed(r)
	switch {
	case r.PostForm.Get("form") == "json" && !json.Valid([]byte(text)):
		return nil, refused("The answer is no JSON: %s", cutText(text, 100))
	case r.PostForm.Get("form") == "json":
		return json.RawMessage(text), otherKind(q.Wants, json.RawMessage(text))
	case q.Seat != "" && journal.Textless(q.Question):
		return nil, refused("No text can answer this: write JSON, of the kind that waits here, and choose JSON.")
	case kind.NoText(q.Wants):
		return nil, refused("No text can answer this: %s is wanted. Write it in JSON, and choose JSON.", kind.Named(q.Wants))
	}
	return json.Marshal(text)
}

// otherKind refuses JSON of another kind than is wanted. What no run can hold is
// refused as that, later.
func otherKind(wanted string, value json.RawMessage) error {
	holdable := canon.Equal(value, value)
	switch {
	case !holdable || !kind.Other(wanted, value):
		return nil
	case wanted == kind.String:
		return refused("The answer is %s, and a text is wanted. Choose Text, or write it in quotes.", kind.Named(kind.Of(value)))
	}
	return refused("The answer is %s, and %s is wanted.", kind.Named(kind.Of(value)), kind.Named(wanted))
}

// typed is what stands in the form; it sends line ends of its own.
func typed(r *http.Request) string {
	return strings.ReplaceAll(r.PostForm.Get("answer"), "\r\n", "\n")
}

// askAgain shows the form with what was typed, and why that is no answer.
func (v *viewer) askAgain(w http.ResponseWriter, r *http.Request, id string, q agentgraph.Question, cause error) error {
	again := questionOf(id, q)
	again.Typed, again.Refused = typed(r), cause.Error()
	again.JSON = again.JSON || r.PostForm.Get("form") == "json"
	p := waitingPage{Answers: true, Token: v.token, Questions: []questionView{again}}
	return v.show(w, statusOf(cause), "waiting.html", frame{Heading: "Waiting", Tab: "waiting", Data: p})
}

// stillAsked is the question that a form answers. It refuses an answer to what is no
// longer asked.
func (v *viewer) stillAsked(r *http.Request, id, step, seat string) (agentgraph.Question, error) {
	q, err := v.asked(r.Context(), id, step, seat, r.PostForm.Get("print"))
	if err != nil {
		return agentgraph.Question{}, err
	}
	if q == nil {
		return agentgraph.Question{}, &fault{http.StatusConflict, "This is not asked any more: it was answered, or the question has changed."}
	}
	return *q, nil
}
