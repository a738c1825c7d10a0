package agentgraph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Step is the handle of a step, or of a whole run, in whose body it is used. It is
// good while that body runs and no step that it began with [Step.Step] is open; used
// otherwise, it fails the step that did so ([ErrStepClosed], [ErrWrongStep]).
type Step struct {
	run   *run
	up    *Step // nil for a run
	frame *frame
	ctx   context.Context // a handle is a context of its own: it ends with its body

	input     snapshot.Map // what it begins with, extras included
	artifacts snapshot.Map
	waiting   snapshot.Map // states of agents, by name, that are imported before their next use
	left      snapshot.Map // states in which agents were left in it
	also      []journal.Digest
	extra     []string
	uses      []use // of agents, oldest first
	held      any   // the agent that it uses, if that has a state,
	heir      *Step // and who has that afterwards

	id    int          // its number in the journal
	noted bool         // its beginning stands there
	known int          // the state that the journal knows last,
	base  snapshot.Map // and that state

	child   *Step    // begun with Step, and open
	started []*Step  // begun with Go, and not waited for
	awaited []*Step  // those that are being waited for
	branch  *branch  // of a step begun with Go
	fault   error    // fails it when its body returns
	path    string   // of the step that the error came from, once it failed
	origins []origin // of the last errors of steps in it
	closed  bool
	tick    func(latest int64) // of a meeting: notes what goes on in it
	answers []uint64           // of a meeting: those that it used
}

// frame is a place in the tree of steps. A Resumable used as an agent has the same
// as the step that hosts it.
type frame struct {
	node     *StepNode // nil for a run
	path     string
	index    []int
	at       int64
	children []*StepNode
	seen     map[string]int // how many children have a name
}

// use is the use of an agent with a state, which may have to be taken back.
type use struct {
	agent  Stateful
	before *snapshot.Value
}

// work is what a step does beside what all do.
type work struct {
	prepare func(*Step) error                // before it is known whether it is skipped
	skipped func(*Step, *journal.Step) error // nil: the states of agents wait
	body    func(*Step) error
}

// Context returns the context of the step. It ends with the run.
func (s *Step) Context() context.Context { return s.ctx }

// Step does a part of the work. If a step of this place and name was done before in
// this run with the same input, which is all artifacts, its body is not called and
// the artifacts become those that it left; otherwise the body is called, and when it
// returns nil its outcome is durable before Step returns.
//
// A step is atomic: after an error, or a panic, which becomes one, the artifacts and
// the agents' states are what they were. Step returns the error of the body as it
// is. A name that is empty or not valid UTF-8 is [ErrBadName].
func (s *Step) Step(name string, body func(*Step) error, extra ...Extra) error {
	return s.do(name, "", work{body: body}, extra)
}

func (s *Step) do(name, agent string, w work, extra []Extra) error {
	c, err := s.enter(name, agent, extra)
	if err != nil {
		return err
	}
	return c.perform(w)
}

// enter opens a step that its caller waits for.
func (s *Step) enter(name, agent string, extra []Extra) (*Step, error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	c, err := s.begin(name, agent, extra)
	if err == nil {
		s.child = c
	}
	return c, err
}

// begin makes the next child.
func (s *Step) begin(name, agent string, extra []Extra) (*Step, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	path := s.frame.next(name)
	switch {
	case name == "" || !utf8.ValidString(name):
		return nil, fmt.Errorf("%sstep %q: %w: %q", prefix, path, ErrBadName, name)
	case s.ctx.Err() != nil:
		return nil, fmt.Errorf("%sstep %q: %w", prefix, path, context.Cause(s.ctx))
	}
	c := &Step{run: s.run, up: s, frame: s.frame.add(name, agent, path, s.run.since()), artifacts: s.artifacts, waiting: s.waiting, left: s.run.key.Empty()}
	c.ctx = context.WithValue(s.ctx, stepKey{}, c)
	c.frame.node.CreatedAt = s.run.began.Add(time.Duration(c.frame.at) * time.Microsecond)
	c.take(extra)
	c.input = c.artifacts
	if s.run.writer != nil {
		c.id = s.run.writer.Number()
	}
	c.known, c.base = c.id, c.input
	return c, nil
}

// take puts extra artifacts into a step that begins.
func (s *Step) take(extra []Extra) {
	for _, x := range extra {
		switch {
		case x.err != nil:
			s.blame(x.err)
			continue
		case x.value == nil: // the zero Extra
			continue
		}
		s.put(x.name, x.value)
		if s.frame.node.ExtraInputArtifacts == nil {
			s.frame.node.ExtraInputArtifacts = Artifacts{}
		}
		if _, twice := s.frame.node.ExtraInputArtifacts[x.name]; !twice {
			s.extra = append(s.extra, x.name)
		}
		s.frame.node.ExtraInputArtifacts[x.name] = slices.Clone(x.value.Raw)
	}
	slices.Sort(s.extra)
}

// String is what errors call it.
func (f *frame) String() string {
	if f.path == "" {
		return "the run"
	}
	return fmt.Sprintf("step %q", f.path)
}

// next is the path that a child of a name gets.
func (f *frame) next(name string) string {
	path := journal.Escaped(name)
	if f.path != "" {
		path = f.path + "/" + path
	}
	if n := f.seen[name]; n > 0 {
		path += "#" + strconv.Itoa(n)
	}
	return path
}

// add makes a child.
func (f *frame) add(name, agent, path string, at int64) *frame {
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[name]++
	index := append(append(make([]int, 0, len(f.index)+1), f.index...), len(f.children))
	node := &StepNode{StepName: name, Index: index, Status: StatusStarted, Agent: agent}
	f.children = append(f.children, node)
	return &frame{node: node, path: path, index: slices.Clone(index), at: at}
}

// usable returns an error, and fails the step at fault, if the handle is not to be
// used now.
func (s *Step) usable() error {
	var err error
	switch {
	case len(s.awaited) > 0:
		err = fmt.Errorf("%s%v used while it waits for steps started with Go: %w", prefix, s.frame, ErrWrongStep)
		for _, c := range s.awaited { // one of them did so
			c.blame(err)
		}
		return err
	case s.closed:
		err = fmt.Errorf("%s%v: %w", prefix, s.frame, ErrStepClosed)
	case s.child != nil:
		err = fmt.Errorf("%s%v used while %v is open: %w", prefix, s.frame, s.child.frame, ErrWrongStep)
	default:
		return nil
	}
	culprit := s
	for culprit.closed && culprit.up != nil {
		culprit = culprit.up
	}
	for culprit.child != nil && !culprit.child.closed {
		culprit = culprit.child
	}
	culprit.blame(err)
	return err
}

// blame makes the step fail when its body returns.
func (s *Step) blame(err error) {
	if s.fault == nil && !s.closed {
		s.fault = err
	}
}

// perform skips the step or runs it, and says what came of it.
func (s *Step) perform(w work) (err error) {
	done := false
	defer func() {
		if !done { // runtime.Goexit was called: this goroutine ends
			if err := s.fail(caught(nil)); s.branch != nil {
				s.branch.err = err
			}
		}
	}()
	err = protected(func() error { return s.try(w) })
	if err != nil {
		err = s.fail(err)
	}
	done = true
	return err
}

func (s *Step) try(w work) error {
	if err := s.failing(); err != nil {
		return err
	}
	if w.prepare != nil {
		if err := w.prepare(s); err != nil {
			return err
		}
	}
	if done := s.recorded(); done != nil {
		if err := s.skip(done, w.skipped); !errors.Is(err, errNotRecorded) {
			return err
		}
	}
	s.opened()
	if err := s.call(w.body); err != nil {
		return err
	}
	return s.succeed()
}

func (s *Step) failing() error {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return s.fault
}

// recorded returns what the step did before on the same input.
func (s *Step) recorded() *journal.Step {
	if s.run.history == nil {
		return nil
	}
	return s.run.history.Find(s.frame.path, s.run.history.Input(s.input, s.also))
}

// skip makes the artifacts and the agents what they were after the step was done.
func (s *Step) skip(done *journal.Step, skipped func(*Step, *journal.Step) error) error {
	if skipped == nil {
		skipped = (*Step).keepStates
	}
	if err := skipped(s, done); err != nil {
		return err
	}
	r := s.run
	r.mu.Lock()
	s.artifacts, s.left = done.Out, done.Left
	s.noteAbove()
	r.writer.Skip(s.frame.index, s.frame.at, done, s.extra, s.frame.node.Agent)
	s.known, s.base = done.ID, done.Out
	s.finish(StatusCached)
	r.mu.Unlock()
	r.log(slog.LevelDebug, "step skipped", "step", s.frame.path)
	return nil
}

// keepStates lets the states of a skipped step's agents wait until those are used.
func (s *Step) keepStates(done *journal.Step) error {
	for name, state := range done.Left.All() {
		s.waiting = s.waiting.With(name, state)
	}
	return nil
}

// call runs a body, and what it started with Go, to the end. The handle is good
// until the body returns.
func (s *Step) call(body func(*Step) error) error {
	if body == nil {
		return fmt.Errorf("%s%w: %v has no body", prefix, ErrBadName, s.frame)
	}
	returned := false
	defer func() {
		if !returned { // runtime.Goexit was called
			_ = s.shut()
			_ = s.abandon()
		}
	}()
	err := protected(func() error { return body(s) })
	returned = true
	if fault := s.shut(); err == nil {
		err = fault
	}
	if err != nil {
		if kept := s.abandon(); kept != nil {
			return errors.Join(err, kept)
		}
		return err
	}
	return s.wait()
}

// shut ends the use of the handle, and returns what was wrong with it.
func (s *Step) shut() error {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.close()
	return s.fault
}

// protected makes an error of a panic.
func protected(f func() error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = caught(v)
		}
	}()
	err = f()
	returned = true
	return err
}

// succeed makes the outcome durable.
func (s *Step) succeed() error {
	r := s.run
	if r.writer != nil {
		r.mu.Lock()
		s.noteAbove()
		d := s.draft(journal.KindStep)
		d.Set = snapshot.Rewritten(s.input, s.artifacts)
		d.States = snapshot.Rewritten(r.key.Empty(), s.left)
		d.Answers = s.answers
		r.mu.Unlock()
		if err := r.writer.Write(r.writing, d); err != nil {
			return r.taken(err)
		}
	}
	r.mu.Lock()
	s.known, s.base = s.id, s.artifacts
	s.finish(StatusExecuted)
	r.mu.Unlock()
	r.log(slog.LevelDebug, "step executed", "step", s.frame.path)
	return nil
}

// draft is an entry about the step, with its beginning if that is not in the journal.
func (s *Step) draft(kind string) *journal.Draft {
	d := &journal.Draft{}
	d.Kind, d.ID = kind, s.id
	if s.noted {
		return d
	}
	s.noted = true
	d.At, d.Step, d.Index, d.Agent = s.frame.at, s.frame.path, s.frame.index, s.frame.node.Agent
	d.On, d.Given = s.up.known, snapshot.Rewritten(s.up.base, s.input)
	d.Extra, d.Also = s.extra, s.also
	return d
}

// noteAbove notes the beginnings of the steps that this one is in.
func (s *Step) noteAbove() {
	if s.up != nil {
		s.up.noteSelf()
	}
}

// noteSelf notes the beginning of the step.
func (s *Step) noteSelf() {
	if !s.noted {
		s.noteAbove()
		s.run.writer.Note(s.draft(journal.KindBegin))
	}
}

// fail takes back what the step did, and returns its error.
func (s *Step) fail(err error) error {
	if restored := s.restore(); restored != nil {
		err = errors.Join(err, restored)
	}
	r := s.run
	status, outcome := StatusError, journal.Failed
	if errors.Is(err, ErrWaiting) {
		status, outcome = StatusWaiting, journal.Waits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.tell(err)
	if status == StatusError {
		s.frame.node.Error = plain(err)
	}
	s.left, s.uses = r.key.Empty(), nil
	if r.writer != nil {
		s.noteAbove()
		d := s.draft(journal.KindFail)
		d.Status, d.Error = outcome, s.frame.node.Error
		r.writer.Note(d)
	}
	s.finish(status)
	return err
}

// tell says to the step above which error this one ended with, and which step that
// came from.
func (s *Step) tell(err error) {
	s.path = s.frame.path
	if path, ok := s.origin(err); ok {
		s.path = path
	}
	if s.branch == nil {
		s.up.hear(err, s.path)
	}
}

// origin is the step whose body an error left first.
type origin struct {
	err  error
	path string
}

// keptOrigins is how many a step remembers; errors before those were handled.
const keptOrigins = 16

// hear remembers where an error of a step in this one comes from.
func (s *Step) hear(err error, path string) {
	if len(s.origins) == keptOrigins {
		s.origins = slices.Delete(s.origins, 0, 1)
	}
	s.origins = append(s.origins, origin{err, path})
}

// origin finds where an error of a step in this one, or one that wraps it, comes from.
func (s *Step) origin(err error) (path string, ok bool) {
	for _, o := range slices.Backward(s.origins) {
		if carries(err, o.err) {
			return o.path, true
		}
	}
	return "", false
}

// carries says whether an error is another or wraps it. Some must not be compared.
func carries(err, other error) bool {
	return other != nil && reflect.ValueOf(other).Comparable() && errors.Is(err, other)
}

// restore gives the agents the states from before the step.
func (s *Step) restore() error {
	var errs []error
	for _, u := range slices.Backward(s.uses) {
		errs = append(errs, importState(u.agent, u.before))
	}
	return errors.Join(errs...)
}

// finish closes the step, and gives the outcome of a good one to its caller, unless
// that is to wait for it.
func (s *Step) finish(status StepStatus) {
	s.frame.node.Status, s.frame.node.Children = status, s.frame.children
	s.close()
	s.run.forget(s)
	s.handOn()
	if s.branch != nil {
		return
	}
	up := s.up
	up.child = nil
	if status != StatusExecuted && status != StatusCached {
		return
	}
	up.artifacts, up.waiting = s.artifacts, s.waiting
	up.known, up.base = s.known, s.base
	up.inherit(s)
}

// inherit takes over what is known of agents.
func (s *Step) inherit(c *Step) {
	for name, state := range c.left.All() {
		s.left = s.left.With(name, state)
	}
	for _, u := range c.uses {
		s.remember(u)
	}
}

// remember keeps the first use of an agent: its state from before that comes back
// when the step fails.
func (s *Step) remember(u use) {
	if s.up == nil {
		return // a run is not atomic
	}
	if !slices.ContainsFunc(s.uses, func(v use) bool { return sameAgent(u.agent, v.agent) }) {
		s.uses = append(s.uses, u)
	}
}

func (s *Step) close() { s.closed = true }

type stepKey struct{}

// stepOf returns the step that a context belongs to, or nil.
func stepOf(ctx context.Context) *Step {
	if ctx == nil {
		return nil
	}
	s, _ := ctx.Value(stepKey{}).(*Step)
	return s
}
