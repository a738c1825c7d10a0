package agentgraph

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The errors that a caller can tell by [errors.Is].
var (
	// ErrMissingAgent: a vertex has no registry entry, or a zero Node, a zero
	// Agent or an agent made from a nil function. Register an agent under its name.
	ErrMissingAgent = errors.New("no agent in the registry")

	// ErrBadName: a vertex or a step has an empty name, or the name of a step, or of an
	// entry of a durable meeting, is not valid UTF-8. Give it another.
	ErrBadName = errors.New("bad name")

	// ErrNoBody: a Resumable or a step was given a nil function.
	ErrNoBody = errors.New("no body")

	// ErrBadChannel: an edge carries the empty channel, Everyone or Outside, or in a
	// durable meeting one that is not valid UTF-8. Use another name.
	ErrBadChannel = errors.New("bad channel on an edge")

	// ErrEmptyNested: the graph of a nested node has no vertex.
	ErrEmptyNested = errors.New("nested graph has no vertex")

	// ErrBadPort: Hears or Speaks has no name, or one that the nested graph lacks.
	ErrBadPort = errors.New("bad port")

	// ErrCollision: a vertex or channel begins with the path of a nested node
	// beside it and a slash, so that its name could be taken for one inside.
	ErrCollision = errors.New("name collides with a nested node")

	// ErrRecursiveNesting: a nested node's registry leads back to itself.
	ErrRecursiveNesting = errors.New("nesting does not end")

	// ErrExternal: ToAgent was given a graph with a seat outside, where nobody
	// could answer. Nest it with Nested.
	ErrExternal = errors.New("seat outside in a closed agent")

	// ErrNotConnected: an agent named a channel that the graph does not give it.
	// Nothing of that turn was committed.
	ErrNotConnected = errors.New("channel is not connected to the agent")

	// ErrForged: a post from outside bears the path of an agent or nested node.
	ErrForged = errors.New("author is an agent of the meeting")

	// ErrTurnLimit: a run took Options.MaxTurns turns and one more is due. Run a
	// Meeting again to go on. A durable meeting stops at the same turn again, for
	// recorded turns count, too: set a higher limit.
	ErrTurnLimit = errors.New("turn limit reached")

	// ErrConflict: a run's journal is not as long as an append expected, because
	// someone else wrote or deleted it. Nothing was added. Read what is new.
	ErrConflict = errors.New("journal has another length")

	// ErrCorrupt: a journal is not what was written. Nothing is read beyond the
	// damage, and nothing is added. Look at it, or restore it from a copy.
	ErrCorrupt = errors.New("journal is damaged")

	// ErrBadRunID: a run ID is empty, too long, not valid UTF-8, or has a control
	// character. Use another.
	ErrBadRunID = errors.New("bad run ID")

	// ErrBadRecord: a record's data is not JSON, its text is not valid UTF-8, or its
	// year is not one of 0 to 9999. Nothing was added.
	ErrBadRecord = errors.New("bad record")

	// ErrTooLarge: the records of one append are more than a store takes at once.
	// Nothing was added. The error of a run names the largest value: keep that
	// elsewhere, and in the run what it can be found by.
	ErrTooLarge = errors.New("records are too large")

	// ErrNoStore: a run has an ID, but the Resumable no store. Give it one in
	// ResumableOptions, or run without an ID.
	ErrNoStore = errors.New("no store for runs that have an ID")

	// ErrNoRun: a run that is to be resumed has never begun.
	ErrNoRun = errors.New("no such run")

	// ErrOtherWork: a run that is to be resumed was last done by a Resumable of another
	// name. If that was this one's, give the input to Run, which compares no names.
	ErrOtherWork = errors.New("run is of other work")

	// ErrNoArtifact: Get was asked for an artifact that is not there.
	ErrNoArtifact = errors.New("no such artifact")

	// ErrArtifactConflict: steps that were started with Go, or one of them and its
	// caller, changed an artifact and do not agree on its value. Let each write
	// artifacts of its own.
	ErrArtifactConflict = errors.New("changed differently at once")

	// ErrStepClosed: the handle of a step was used after its body had returned.
	ErrStepClosed = errors.New("step is over")

	// ErrWrongStep: the handle of a step was used while a step in it was open. Use
	// the handle that the inner body is given; for steps side by side use Go.
	ErrWrongStep = errors.New("use the handle that the body of the open step is given")

	// ErrAgentBusy: an agent with a state was used by two steps at once. Give each
	// an agent of its own, or let one wait for the other.
	ErrAgentBusy = errors.New("agent is in use in another step")

	// ErrAgentName: an agent with a state has the name of another, which a step before
	// this one has left in another state. Had that step been skipped, as it would be
	// after a crash, this agent would have been given that state. Give each a name of
	// its own, or use one agent in both steps.
	ErrAgentName = errors.New("another agent keeps its state under this name")

	// ErrRunTaken: another attempt at the run has begun, or its journal was deleted.
	// What this one did since then is not kept. There is nothing to do here.
	ErrRunTaken = errors.New("run was taken over by another attempt")

	// ErrWaiting: a run cannot go on before somebody answers. See WaitingError.
	ErrWaiting = errors.New("waiting for an answer")

	// ErrNoQuestion: an answer was given to a step or seat that does not wait for one.
	ErrNoQuestion = errors.New("nothing is asked there")
)

// GraphError is all that [ToRoster] has against a graph.
type GraphError struct {
	Faults []error // each a *Fault, in order of path
}

func graphError(faults []*Fault) *GraphError {
	slices.SortStableFunc(faults, func(a, b *Fault) int { return strings.Compare(a.Path, b.Path) })
	e := &GraphError{Faults: make([]error, len(faults))}
	for i, f := range faults {
		e.Faults[i] = f
	}
	return e
}

// shownFaults is how many faults the text of a GraphError shows.
const shownFaults = 10

// Error says how many faults there are and shows the first ten.
func (e *GraphError) Error() string {
	var b strings.Builder
	b.WriteString("agentgraph: the graph has ")
	b.WriteString(count(len(e.Faults), "fault"))
	for i, fault := range e.Faults {
		if i == shownFaults {
			fmt.Fprintf(&b, "; and %d more", len(e.Faults)-shownFaults)
			break
		}
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString(strings.TrimPrefix(fault.Error(), prefix))
	}
	return b.String()
}

// Unwrap returns the faults.
func (e *GraphError) Unwrap() []error { return e.Faults }

// Fault is one thing that is wrong with a graph.
type Fault struct {
	Path    Name   // the vertex or nested node; empty for the graph itself
	Culprit string // the name, channel or port at fault
	Err     error  // one of the errors above
}

// Error names the culprit and the path.
func (f *Fault) Error() string {
	where := "the top graph"
	if f.Path != "" {
		where = strconv.Quote(f.Path)
	}
	if f.Path == f.Culprit && f.Path != "" {
		return fmt.Sprintf("%s%s: %v", prefix, where, f.Err)
	}
	return fmt.Sprintf("%s%s: %v: %q", prefix, where, f.Err, f.Culprit)
}

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// AgentError is an error, or a panic, of an agent's own. The input still waits.
type AgentError struct {
	Agent Name
	Input PostID
	Err   error
}

// Error names the agent and the post.
func (e *AgentError) Error() string {
	return fmt.Sprintf("%sagent %q on post %s: %s", prefix, e.Agent, quoted(e.Input), unprefixed(e.Err))
}

// Unwrap returns Err.
func (e *AgentError) Unwrap() error { return e.Err }

// ChannelError says that an agent may not address a channel. It is ErrNotConnected.
type ChannelError struct {
	Channel Channel   // as the agent wrote it
	May     []Channel // that it may address, likewise; Outside among them where it may
}

// Error names the channel.
func (e *ChannelError) Error() string {
	if len(e.May) == 0 {
		return fmt.Sprintf("%s%v: %q, and no other is", prefix, ErrNotConnected, e.Channel)
	}
	return fmt.Sprintf("%s%v: %q, it may use %s", prefix, ErrNotConnected, e.Channel, list(e.May))
}

// Unwrap returns ErrNotConnected.
func (e *ChannelError) Unwrap() error { return ErrNotConnected }

// PanicError is a panic of an agent or a middleware, or a call of runtime.Goexit.
type PanicError struct {
	Value any    // what was given to panic
	Stack []byte // where
}

// Error gives the value; the stack is left to the caller.
func (e *PanicError) Error() string {
	return prefix + "panic: " + strings.TrimPrefix(fmt.Sprint(e.Value), prefix)
}

// Unwrap returns the value where that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// TurnLimitError says that agents still talk after the last turn allowed. It is
// ErrTurnLimit.
type TurnLimitError struct {
	Limit   int
	closed  bool   // in an agent that ToAgent made: no Options reach there
	Talking []Name // the agents with something to hear, in order of path
	Loop    []Name // those that the next one can reach and hear from again, in order of path
}

// Error names the limit, the first agents that still talk, and the loop.
func (e *TurnLimitError) Error() string {
	var b strings.Builder
	of := "(Options.MaxTurns)"
	if e.closed {
		of = "on one input of an agent made by ToAgent"
	}
	fmt.Fprintf(&b, "%s%v: %s %s, %s still waiting", prefix, ErrTurnLimit, count(e.Limit, "turn"), of, list(e.Talking))
	if len(e.Loop) > 0 {
		fmt.Fprintf(&b, ", in the loop %s", list(e.Loop))
	}
	return b.String()
}

// Unwrap returns ErrTurnLimit.
func (e *TurnLimitError) Unwrap() error { return ErrTurnLimit }

// StepError is the error that a run ended with.
type StepError struct {
	RunID   string
	Attempt int    // from 1; 0 when none began
	Path    string // of the step that it came from; empty for the run's own body
	Err     error
}

// Error names the run, the attempt and the step.
func (e *StepError) Error() string {
	var b strings.Builder
	b.WriteString(prefix)
	if e.RunID != "" {
		fmt.Fprintf(&b, "run %q", shortened(e.RunID))
	} else {
		b.WriteString("run without an ID")
	}
	if e.Attempt > 0 {
		fmt.Fprintf(&b, ", attempt %d", e.Attempt)
	}
	if e.Path != "" {
		fmt.Fprintf(&b, ", step %q", e.Path)
	}
	b.WriteString(": ")
	text := unprefixed(e.Err)
	b.WriteString(strings.TrimPrefix(text, fmt.Sprintf("run %q: ", e.RunID))) // stores name it, too
	return b.String()
}

// Unwrap returns Err.
func (e *StepError) Unwrap() error { return e.Err }

func shortened(runID string) string { return runID[:min(len(runID), MaxRunID)] }

// prefix begins the text of every error of this library, once.
const prefix = "agentgraph: "

// unprefixed is the text of an error inside one of this library.
func unprefixed(err error) string { return strings.TrimPrefix(textOf(err), prefix) }

// textOf is the text of an error. That of a nil pointer may panic.
func textOf(err error) string {
	text := "error without a text"
	_ = protected(func() error { text = err.Error(); return nil })
	return text
}

func quoted(id PostID) string { return strconv.Quote(id.String()) }

// list quotes up to ten names and counts the rest.
func list(names []Name) string {
	var b strings.Builder
	for i, name := range names {
		if i == shownFaults {
			fmt.Fprintf(&b, " and %d more", len(names)-shownFaults)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(name))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
