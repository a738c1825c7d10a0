package natsstore

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// ErrUnfit: the stream is there, but set up so that it may lose or refuse what
	// a journal holds. Change the stream, or name another.
	ErrUnfit = errors.New("stream is not fit for journals")

	// ErrOldServer: the server lacks what the store stands on. It needs NATS 2.12.
	ErrOldServer = errors.New("server is too old")

	// ErrNotSynced: [Options.Sync] is set, and a server that keeps the stream does
	// not sync before it acknowledges, or nobody can tell.
	ErrNotSynced = errors.New("server is not seen to sync what it acknowledges")

	// ErrNoStream: [Options.Existing] is set, and there is no stream of that name.
	ErrNoStream = errors.New("there is no such stream")
)

// What the server says. The numbers are its own, and stable.
const (
	codeNoPeers       jetstream.ErrorCode = 10005 // too few servers, perhaps for now
	codeNotAvailable  jetstream.ErrorCode = 10008 // there is no leader, for now
	codeNotLeader     jetstream.ErrorCode = 10009
	codeOffline       jetstream.ErrorCode = 10118
	codeAlone         jetstream.ErrorCode = 10074 // a server alone keeps one replica
	codeBatchLost     jetstream.ErrorCode = 10176 // a new leader knows nothing of it
	codeBatchTooLarge jetstream.ErrorCode = 10199
	codeBatchesFull   jetstream.ErrorCode = 10210
)

// errAgain: nothing is wrong, it only has to be tried again.
var errAgain = errors.New("try again")

// passingError is another error that may not come the next time.
type passingError struct{ error }

func (e passingError) Unwrap() error { return e.error }

// errNoAnswer: a request was sent, and what became of it is not known.
var errNoAnswer = errors.New("no answer")

func codeOf(err error) jetstream.ErrorCode {
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		return api.ErrorCode
	}
	return 0
}

// isConflict: the server compared, and the subject ends elsewhere. One replica
// says the first; three may say the second while another append is under way.
func isConflict(err error) bool {
	code := codeOf(err)
	return code == jetstream.JSErrCodeStreamWrongLastSequence || code == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// isPassing: another try may do better.
func isPassing(err error) bool {
	switch codeOf(err) {
	case codeNotAvailable, codeNotLeader, codeOffline, codeBatchLost, codeBatchesFull:
		return true
	}
	if _, ok := errors.AsType[passingError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok { // the connection broke, and what it took of the message is not known
		return true
	}
	for _, passing := range []error{errAgain, errNoAnswer, nats.ErrNoResponders, nats.ErrReconnectBufExceeded, nats.ErrDisconnected} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// because is why a wait ended, with what was waited for.
func because(ctx context.Context, waited error) error {
	if waited == nil || errors.Is(waited, errAgain) {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ctx.Err(), waited)
}
