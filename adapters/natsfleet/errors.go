package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrUnfit: a stream of the fleet's name is there, but set up so that it could
	// lose runs. Change it, or take another name.
	ErrUnfit = errors.New("stream is not fit for a fleet")

	// ErrNoFlow: a run was submitted to a flow that is not registered here. Register
	// the same flows on every machine.
	ErrNoFlow = errors.New("no such flow is registered")

	// ErrOtherFlow: the run ID is that of a run of another flow.
	ErrOtherFlow = errors.New("run belongs to another flow")

	// ErrTooLarge: the input of a run is more than a message may hold. Put what is
	// large where the flow can fetch it, or raise max_payload.
	ErrTooLarge = errors.New("input is too large")

	// ErrSettled: the run is over, so that it cannot be cancelled any more.
	ErrSettled = errors.New("run is settled")

	// ErrNotSettled: the run still goes on, so that it cannot be forgotten.
	ErrNotSettled = errors.New("run is not settled")

	// ErrFailed: the flow returned an error that does not pass, or one that does too
	// often. See [Fleet.Retry].
	ErrFailed = errors.New("run failed")

	// ErrCancelled: the run was cancelled.
	ErrCancelled = errors.New("run was cancelled")

	// ErrSetAside: the run took so many workers with it that it is not given to
	// another one. Its story is in its [Status]. See [Fleet.Retry].
	ErrSetAside = errors.New("run was set aside, it kills its workers")
)

// RunError is how a run ended that did not finish. It is [ErrFailed],
// [ErrCancelled] or [ErrSetAside]; the error that the flow returned stayed on
// another machine, but for its text.
type RunError struct {
	RunID string
	Flow  string
	Text  string // of the flow's error; empty if there was none
	Err   error
}

// Error names the run.
func (e *RunError) Error() string {
	text := fmt.Sprintf("%srun %q of %q: %v", prefix, e.RunID, e.Flow, e.Err)
	if e.Text != "" {
		text += ": " + strings.TrimPrefix(e.Text, prefix)
	}
	return text
}

// Unwrap returns Err.
func (e *RunError) Unwrap() error { return e.Err }

func runError(runID string, err error) error {
	return fmt.Errorf("%srun %q: %w", prefix, runID, unprefixed(err))
}

// What the server says. The numbers are its own, and stable.
const (
	codeNoPeers      jetstream.ErrorCode = 10005 // too few servers, perhaps for now
	codeNotAvailable jetstream.ErrorCode = 10008 // there is no leader, for now
	codeNotLeader    jetstream.ErrorCode = 10009
	codeOffline      jetstream.ErrorCode = 10118
)

func codeOf(err error) jetstream.ErrorCode {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.ErrorCode
	}
	return 0
}

// isConflict: the server compared, and the subject ends elsewhere. One replica says
// the first, several may say the second.
func isConflict(err error) bool {
	code := codeOf(err)
	return code == jetstream.JSErrCodeStreamWrongLastSequence || code == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// isUnanswered: there is a server, but nobody who answers for JetStream.
func isUnanswered(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}

// errAgain: nothing is wrong, it only has to be tried again.
var errAgain = errors.New("try again")

// passing marks an error that may not come the next time.
func passing(err error) error { return fmt.Errorf("%w: %w", errAgain, err) }

// isPassing: another try may do better.
func isPassing(err error) bool {
	if isFinal(err) {
		return false
	}
	switch codeOf(err) {
	case codeNotAvailable, codeNotLeader, codeOffline:
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok { // the connection broke, and what it took of the message is not known
		return true
	}
	for _, p := range []error{
		errAgain, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrReconnectBufExceeded,
		jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled,
	} {
		if errors.Is(err, p) {
			return true
		}
	}
	return false
}
