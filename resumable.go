package agentgraph

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"slices"

	"golang.org/x/exp/maps"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Resumable is work in steps. Run under a run ID it keeps what each step has done,
// so that a run that was interrupted goes on where it was: a step that was done
// before with the same input is skipped.
//
// A Resumable does not change; any number of runs may use it at once. It is an
// [ArtifactAgent].
type Resumable struct {
	name    string
	body    func(*Step) error
	options ResumableOptions
}

// ResumableOptions say where runs are kept, and who hears of them.
type ResumableOptions struct {
	Store  Store        // of the runs that have an ID; nil for none
	Logger *slog.Logger // told of attempts and steps; nil for nobody

	Observer *Observer // told of them, too, as they begin and end; nil for nobody
}

// NewResumable returns work that its body does. Nil options are the zero ones.
func NewResumable(name string, body func(*Step) error, o *ResumableOptions) *Resumable {
	r := &Resumable{name: name, body: body}
	if o != nil {
		r.options = *o
	}
	return r
}

// Name returns the name that it was given.
func (r *Resumable) Name() string { return r.name }

// On returns the same work with its runs in another store.
func (r *Resumable) On(store Store) *Resumable {
	other := *r
	other.options.Store = store
	return &other
}

// Result is what a run came to.
type Result struct {
	RunID     string      `json:"run_id"`
	Artifacts Artifacts   `json:"artifacts"`
	Steps     []*StepNode `json:"steps"`
}

// StepNode is what happened to one step in one attempt.
type StepNode struct {
	StepName            string      `json:"step_name"`
	Index               []int       `json:"index"` // its place in the tree, from 0 at each level
	Status              StepStatus  `json:"status"`
	CreatedAt           time.Time   `json:"created_at"`
	ExtraInputArtifacts Artifacts   `json:"extra_input_artifacts,omitempty"`
	Agent               string      `json:"agent,omitempty"` // of an agent step, the name that the step has from it
	Error               string      `json:"error,omitempty"`
	Children            []*StepNode `json:"children,omitempty"`
}

// StepStatus is how a step ended.
type StepStatus string

// What can have become of a step.
const (
	StatusExecuted StepStatus = "executed" // its body ran, and its outcome is kept
	StatusCached   StepStatus = "cached"   // it had been executed with this input before, and was skipped
	StatusError    StepStatus = "error"    // its body failed; nothing of it is kept but the steps in it that ended well
	StatusWaiting  StepStatus = "waiting"  // it waits for an answer, or something in it does
	StatusStarted  StepStatus = "started"  // it runs, or did when its process ended
)

// Run does the work on a copy of the input. With a run ID it begins an attempt,
// which takes the run from whoever had it, and skips the steps that were done
// before under this ID with the same input; without one nothing is read or written.
// It compares no names: in one store, let the IDs of different work differ, or one
// takes over what the other has done.
//
// An error comes as a *[StepError], and the result beside it shows how far the work
// came; it is never nil. It can be [ErrNoStore], [ErrBadRunID], that of the store,
// [ErrRunTaken] when another attempt has begun meanwhile, a *[WaitingError] when an
// answer from outside is missing, or what the body returned. Whatever it is, the run
// may be run again: what was done is kept.
//
// It reads the journal once; a step costs what it changes.
func (r *Resumable) Run(ctx context.Context, runID string, in map[string]any) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	run := &run{resumable: r, id: runID, key: snapshot.NewKey()}
	err := run.observed(ctx, in)
	result := run.result()
	if err == nil {
		return result, nil
	}
	return result, run.wrap(err)
}

// Resume is [Resumable.Run] with the input of the run's last attempt, for whoever
// knows only the ID. It is [ErrNoRun] when there was none, and [ErrOtherWork] when that
// attempt was of a Resumable of another name. A run that has finished is run again, with
// nothing to do: [Inspect] tells.
func (r *Resumable) Resume(ctx context.Context, runID string) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	in, err := r.lastInput(ctx, runID)
	if err != nil {
		return &Result{RunID: runID, Artifacts: Artifacts{}}, &StepError{RunID: runID, Err: err}
	}
	return r.Run(ctx, runID, in)
}

func (r *Resumable) lastInput(ctx context.Context, runID string) (map[string]any, error) {
	if r.options.Store == nil {
		return nil, noStore()
	}
	h, _, err := historyRead(ctx, r.options.Store, runID)
	if err != nil {
		return nil, err
	}
	if len(h.Attempts) == 0 {
		return nil, ErrNoRun
	}
	last := h.Attempts[len(h.Attempts)-1].Entry
	if last.Name != r.name {
		return nil, fmt.Errorf("%w: it is of %q, not of %q", ErrOtherWork, last.Name, r.name)
	}
	in := map[string]any{}
	for name, v := range h.Step(last.ID).In.All() {
		in[name] = v.Raw
	}
	return in, nil
}

// Invoke does the work as a part of other work: called with the context of a step,
// its steps become children of that step, in the same run; elsewhere it is a run
// without an ID. It returns all artifacts that it ends with.
func (r *Resumable) Invoke(ctx context.Context, in Artifacts) (Artifacts, error) {
	if s := stepOf(ctx); s != nil {
		return s.host(r, in)
	}
	values := make(map[string]any, len(in))
	for name, raw := range in {
		values[name] = raw
	}
	result, err := r.Run(ctx, "", values)
	return result.Artifacts, err
}

// inputs makes artifacts of what a run is given.
func inputs(key *snapshot.Key, in map[string]any) (snapshot.Map, error) {
	m := key.Empty()
	names := maps.Keys(in)
	slices.Sort(names)
	for _, name := range names {
		v, err := newValue(name, in[name])
		if err != nil {
			return m, err
		}
		m = m.With(name, v)
	}
	return m, nil
}
