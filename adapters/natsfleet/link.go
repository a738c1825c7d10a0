package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// link is a connection that outlives a server: what fails because nobody answers,
// or nobody leads, is tried again until the context ends. Package natsstore has one
// of its own, for requests that it takes apart itself: two modules share an internal
// package only through a third. What is put right in one, look for in the other.
type link struct{ nc *nats.Conn }

const (
	firstWait  = 2 * time.Second // for an answer, twice as long each time there is none
	longWait   = 16 * time.Second
	firstPause = 2 * time.Millisecond // before the next try, twice as long each time
	longPause  = 250 * time.Millisecond
)

// patiently calls try until it succeeds or fails for good, each time with a context
// that ends when it is time to ask again. The subject is one that it publishes to,
// to tell silence from a refusal.
func (l link) patiently(ctx context.Context, subject string, try func(context.Context) error) error {
	var last error
	wait := firstWait
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		if err := l.connected(ctx, last); err != nil {
			return err
		}
		err := within(ctx, wait, try)
		if err == nil || ctx.Err() == nil && !isPassing(err) {
			return err
		}
		last = err
		if refusal := l.refusal(subject); refusal != nil {
			return refusal
		}
		if errors.Is(err, context.DeadlineExceeded) {
			wait = min(2*wait, longWait)
		}
		if !sleep(ctx, pause) {
			return because(ctx, last)
		}
	}
}

func within(ctx context.Context, wait time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return try(ctx)
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

// refusal is the server's word that the client may not publish to a subject. The
// server says so beside the request, which stays without an answer.
func (l link) refusal(subject string) error {
	err := l.nc.LastError()
	if errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject) {
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

// because is why a wait ended, with what was waited for.
func because(ctx context.Context, waited error) error {
	if waited == nil || errors.Is(waited, ctx.Err()) || errors.Is(waited, errAgain) {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ctx.Err(), waited)
}
