package agentgraph

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// run is one attempt at a run.
type run struct {
	resumable *Resumable
	id        string
	attempt   int // from 1
	key       *snapshot.Key
	history   *journal.History // what was done before; nil without an ID
	writer    *journal.Writer  // nil without an ID
	root      *Step
	began     time.Time
	clock     time.Time       // the same moment, on a clock that only goes on
	lasting   context.Context // of what is written while the run goes on,
	stopped   <-chan struct{} // which is until then
	cancel    context.CancelCauseFunc

	mu      sync.Mutex     // over all below, and over the steps
	open    []*Step        // whose bodies run, in the order in which they began
	holders map[any]*Step  // the agents with state that are in use, and the step that has them
	lost    error          // why the journal cannot be written any more
	ticks   sync.WaitGroup // over the timer's goroutine
	ticker  *time.Timer
	ended   bool

	executed, skipped int // steps
}

func (r *run) do(ctx context.Context, in map[string]any) error {
	input := r.key.Empty()
	err := protected(func() (err error) { input, err = inputs(r.key, in); return err })
	r.root = &Step{run: r, frame: &frame{}, input: input, artifacts: input, waiting: r.key.Empty(), left: r.key.Empty(), ctx: ctx}
	if err != nil {
		return err
	}
	if r.resumable.body == nil {
		return fmt.Errorf("%s%w: %q", prefix, ErrNoBody, r.resumable.name)
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	r.root.ctx = context.WithValue(ctx, stepKey{}, r.root)
	if err := r.start(ctx, input); err != nil {
		return err
	}
	r.root.ctx = r.begin(r.root.ctx, Event{Kind: EventAttempt})
	stop := r.outlast(ctx)
	defer stop()
	return r.work(ctx)
}

// start begins the attempt.
func (r *run) start(ctx context.Context, input snapshot.Map) error {
	r.began, r.clock = now()
	if r.id == "" {
		return nil
	}
	if r.resumable.options.Store == nil {
		return noStore()
	}
	attempt := func(*journal.History) (*journal.Draft, time.Time) {
		r.began, r.clock = now()
		d := &journal.Draft{Given: snapshot.Rewritten(r.key.Empty(), input)}
		d.By, d.Name = rand.Text()[:12], strings.ToValidUTF8(r.resumable.name, "\uFFFD")
		return d, r.began
	}
	var err error
	r.writer, r.history, err = journal.Open(ctx, storeLog{r.resumable.options.Store, r.id}, r.key, attempt, r.lose)
	if err != nil {
		return journalError(r.id, err)
	}
	r.attempt = len(r.history.Attempts)
	r.log(ctx, slog.LevelInfo, "run began")
	r.logOther(ctx)
	r.root.known, r.root.base = r.history.Attempts[r.attempt-1].Entry.ID, input
	r.root.noted = true
	return nil
}

// logOther tells of a run whose last attempt was of a Resumable of another name: its
// steps may be skipped for what the other has done.
func (r *run) logOther(ctx context.Context) {
	name := func(attempt int) string { return r.history.Attempts[attempt-1].Entry.Name }
	if r.attempt > 1 && name(r.attempt-1) != name(r.attempt) {
		r.log(ctx, slog.LevelWarn, "run was of other work", "before", name(r.attempt-1))
	}
}

// now is a time that survives a journal, and the same to measure from. It is
// rounded up: nothing may seem to have begun before the call.
func now() (time.Time, time.Time) {
	t := time.Now()
	return t.UTC().Add(time.Microsecond - 1).Truncate(time.Microsecond), t
}

// lose ends all work when the journal cannot be written any more.
func (r *run) lose(err error) {
	r.mu.Lock()
	r.lost = r.taken(err)
	r.mu.Unlock()
	r.cancel(r.lost)
}

// gone returns why the journal cannot be written any more, or nil.
func (r *run) gone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

func (r *run) work(ctx context.Context) (err error) {
	r.watch()
	done := false
	defer func() {
		if !done {
			err = caught(recover())
		}
		err = r.end(ctx, err)
		r.over(r.root.ctx, Event{Kind: EventAttempt}, err)
	}()
	err = r.root.call(r.resumable.body)
	done = true
	return err
}

// end writes how the attempt ended.
func (r *run) end(ctx context.Context, err error) error {
	r.unwatch()
	r.root.close()
	if r.writer == nil {
		return err
	}
	d := &journal.Draft{Given: snapshot.Rewritten(r.root.base, r.root.artifacts)}
	d.Kind, d.ID, d.Status, d.On, d.At = journal.KindEnd, r.writer.Number(), journal.Done, r.root.known, r.since()
	switch {
	case err == nil:
	case errors.Is(err, ErrWaiting):
		d.Status = journal.Waits
	case ctx.Err() == nil:
		d.Status, d.Error = journal.Failed, plain(err)
	case errors.Is(err, ctx.Err()), carries(err, context.Cause(ctx)):
		d.Status = journal.Stopped
	default:
		d.Status, d.Error = journal.Stopped, plain(err)
	}
	r.log(ctx, slog.LevelInfo, "run ended", "status", string(runStatus(d.Status)), "executed", r.executed, "skipped", r.skipped, "error", d.Error)
	lost := r.write(d)
	taken := errors.Is(lost, ErrRunTaken)
	switch {
	case lost == nil, carries(err, lost), taken && errors.Is(err, ErrRunTaken):
		return err
	case err == nil, taken:
		return lost
	}
	return errors.Join(err, lost)
}

// taken makes an error of the writer one of this package.
func (r *run) taken(err error) error {
	if errors.Is(err, journal.ErrTaken) {
		return fmt.Errorf("%srun %q: %w", prefix, r.id, ErrRunTaken)
	}
	return err
}

// since is the time that has passed since the run began, in microseconds.
func (r *run) since() int64 { return time.Since(r.clock).Microseconds() }

func (r *run) result() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &Result{RunID: r.id, Artifacts: copied(r.root.artifacts), Steps: r.root.frame.children}
}

// wrap says where an error comes from.
func (r *run) wrap(err error) error {
	e := &StepError{RunID: r.id, Attempt: r.attempt, Err: err}
	e.Path, _ = r.root.origin(err)
	return e
}

func (r *run) log(ctx context.Context, level slog.Level, msg string, args ...any) {
	if l := r.resumable.options.Logger; l != nil {
		l.Log(ctx, level, msg, append([]any{"resumable", r.resumable.name, "run", r.id, "attempt", r.attempt}, args...)...)
	}
}

// plain is the text that an error shows in a node.
func plain(err error) string { return strings.ToValidUTF8(textOf(err), "\uFFFD") }
