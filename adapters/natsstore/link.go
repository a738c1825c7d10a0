package natsstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// link is a connection that outlives a server: what fails because nobody answers,
// or nobody leads, is tried again until the context ends.
type link struct {
	nc   *nats.Conn
	wait time.Duration // for an answer; twice as long each time there is none
}

const (
	firstWait  = 2 * time.Second
	longWait   = 16 * time.Second
	firstPause = 2 * time.Millisecond // before the next try, twice as long each time
	longPause  = 250 * time.Millisecond
)

// patiently calls try until it succeeds or fails for good. It is told how long to
// wait for an answer. The subject is one that it publishes to, to tell silence
// from a refusal.
func (l link) patiently(ctx context.Context, subject string, try func(wait time.Duration) error) error {
	var last error
	wait := l.wait
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		if err := l.connected(ctx, last); err != nil {
			return err
		}
		err := try(wait)
		if err == nil || !isPassing(err) {
			return err
		}
		last = err
		if errors.Is(err, errNoAnswer) {
			if refusal := l.refusal(subject); refusal != nil {
				return refusal
			}
			wait = min(2*wait, longWait)
		}
		if !sleep(ctx, pause) {
			return because(ctx, last)
		}
	}
}

// connected waits until there is a connection, so that nothing heaps up in the
// client to be sent long after its caller has left.
func (l link) connected(ctx context.Context, last error) error {
	for {
		switch l.nc.Status() {
		case nats.CONNECTED:
			return ctx.Err()
		case nats.CLOSED:
			return nats.ErrConnectionClosed
		case nats.DRAINING_SUBS, nats.DRAINING_PUBS:
			return nats.ErrConnectionDraining
		}
		if last == nil {
			last = errors.New("not connected")
		}
		if !sleep(ctx, firstPause) {
			return because(ctx, last)
		}
	}
}

// refusal is the server's word that the client may not publish to the subject. The
// server says so beside the request, which stays without an answer.
func (l link) refusal(subject string) error {
	err := l.nc.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), strconv.Quote(subject)) {
		return err
	}
	return nil
}

// sleep tells whether the context let it.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// request sends one message and waits for one answer.
func (l link) request(ctx context.Context, msg *nats.Msg, wait time.Duration) (*nats.Msg, error) {
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	answer, err := l.nc.RequestMsgWithContext(within, msg)
	return answer, noAnswer(ctx, err)
}

// noAnswer is the error of a wait: the context's own if it is that which ended.
func noAnswer(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errNoAnswer
}

// answer is what JetStream answers to one request, a struct that embeds failure.
type answer interface{ failed() error }

// failure is the field that an answer has if it is an error.
type failure struct {
	Error *jetstream.APIError `json:"error"`
}

func (f *failure) failed() error {
	if f.Error == nil {
		return nil
	}
	return f.Error
}

// ask sends a request and takes the answer apart, into a value that no answer was
// taken into before. An answer without a text is one too.
func (l link) ask(ctx context.Context, msg *nats.Msg, wait time.Duration, into answer) error {
	reply, err := l.request(ctx, msg, wait)
	if err != nil || len(reply.Data) == 0 {
		return err
	}
	if err := json.Unmarshal(reply.Data, into); err != nil {
		return fmt.Errorf("answer to %s: %w", msg.Subject, err)
	}
	return into.failed()
}

// api asks the JetStream API, once.
func (l link) api(ctx context.Context, call string, request any, wait time.Duration, into answer) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return l.ask(ctx, &nats.Msg{Subject: apiSubject(call), Data: body}, wait, into)
}

func apiSubject(call string) string { return "$JS.API." + call }
