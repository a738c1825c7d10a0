package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Work takes runs of the flows that are registered, so many at once, and works on
// them until the context ends. Then it takes no more, lets those that it has go on
// for [Options.Grace], and hands back what is left: another machine goes on at once.
// After such a stop it returns nil, and no sooner than all is handed back. Otherwise
// it returns what does not pass: [nats.ErrConnectionClosed], a permission that is
// refused, [ErrNoFlow] if nothing is registered.
//
// Flows take turns when there are fewer places than flows.
func (f *Fleet) Work(ctx context.Context, concurrency int) error {
	if err := f.work(ctx, concurrency); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%swork in fleet %q: %w", prefix, f.options.Name, unprefixed(err))
	}
	return nil
}

func (f *Fleet) work(ctx context.Context, concurrency int) error {
	flows := f.registered()
	if len(flows) == 0 {
		return ErrNoFlow
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	w := &worker{fleet: f, ctx: ctx, fail: fail, places: make(chan struct{}, max(concurrency, 1)), patience: longPull}
	if len(flows) > 1 {
		w.patience = shortPull
	}
	stop, err := w.hear()
	if err != nil {
		return err
	}
	defer stop()
	var all sync.WaitGroup
	for _, fl := range flows {
		all.Go(func() { w.pull(fl) })
	}
	all.Go(w.lookOut)
	all.Wait()
	w.shifts.Wait()
	return context.Cause(ctx)
}

// How long one request for a run waits at the server. While it does, it has a
// place; where several flows want one, it must not be long. A stop waits for it, so
// that a run which is just being handed out is not left to nobody.
const (
	longPull  = time.Second
	shortPull = 100 * time.Millisecond
)

// worker is one call of Work.
type worker struct {
	fleet    *Fleet
	ctx      context.Context
	fail     context.CancelCauseFunc
	places   chan struct{}
	patience time.Duration
	shifts   sync.WaitGroup

	mu     sync.Mutex
	active map[*shift]struct{}
}

// hear passes on the word that a run was cancelled.
func (w *worker) hear() (stop func(), err error) {
	w.active = map[*shift]struct{}{}
	sub, err := w.fleet.link.nc.Subscribe(w.fleet.cancelSubject("")+"*", func(m *nats.Msg) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for s := range w.active { // all look at once
			if w.fleet.cancelSubject(s.runID) == m.Subject {
				s.look()
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// pull takes runs of one flow until the context ends, each with a place to work.
func (w *worker) pull(fl *flow) {
	var from jetstream.Consumer
	runs := source{escaped(fl.work.Name()), fl.atOnce}
	for {
		select {
		case <-w.ctx.Done():
			return
		case w.places <- struct{}{}:
		}
		m, err := w.pullOne(runs, w.patience, &from)
		if m != nil {
			w.shifts.Go(func() {
				defer func() { <-w.places }()
				w.take(fl, m)
			})
			continue
		}
		<-w.places
		w.missed(err, &from)
	}
}

// missed decides how to go on when there was no message, and perhaps an error.
func (w *worker) missed(err error, from *jetstream.Consumer) {
	switch {
	case err == nil:
	case isFinal(err):
		w.fail(err)
	default:
		*from = nil
		sleep(w.ctx, longPause)
	}
}

// source is a part of the queue, with a consumer of its own.
type source struct {
	name   string // as a token of subjects
	atOnce int    // how many of its messages may be under way; 0 for any number
}

// pullOne takes one message, with a consumer that it makes if there is none.
func (w *worker) pullOne(part source, patience time.Duration, from *jetstream.Consumer) (jetstream.Msg, error) {
	err := w.fleet.link.connected(w.ctx, nil)
	if err != nil {
		return nil, err
	}
	if *from == nil {
		if *from, err = w.fleet.consumer(w.ctx, part); err != nil {
			return nil, finalError{fmt.Errorf("consumer %q: %w", part.name, err)}
		}
	}
	return w.next(*from, patience)
}

// next asks for one run; nil if there is none for now.
func (w *worker) next(from jetstream.Consumer, patience time.Duration) (jetstream.Msg, error) {
	batch, err := from.Fetch(1, jetstream.FetchMaxWait(patience))
	if err != nil {
		return nil, err
	}
	m := <-batch.Messages()
	if m != nil {
		return m, nil
	}
	info := from.CachedInfo()
	if refusal := w.fleet.link.refusal("$JS.API.CONSUMER.MSG.NEXT." + info.Stream + "." + info.Name); refusal != nil {
		return nil, refusal
	}
	return nil, batch.Error()
}

// finalError is one that was waited for in vain, or does not pass.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

// isFinal: no other request will do better.
func isFinal(err error) bool {
	if _, ok := errors.AsType[finalError](err); ok {
		return true
	}
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionDraining) || errors.Is(err, nats.ErrPermissionViolation)
}

// consumer finds or makes what hands out a part of the queue.
func (f *Fleet) consumer(ctx context.Context, part source) (c jetstream.Consumer, err error) {
	want := jetstream.ConsumerConfig{
		Durable:       part.name,
		FilterSubject: f.queueName() + "." + part.name + ".*",
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       f.options.Silence,
		MaxDeliver:    -1, // how often is too often, the journal tells
		MaxAckPending: orElse(part.atOnce, -1),
	}
	err = f.link.patiently(ctx, "$JS.API.CONSUMER.CREATE."+f.queueName()+"."+part.name, func(ctx context.Context) (err error) {
		c, err = f.queue.CreateOrUpdateConsumer(ctx, want)
		if codeOf(err) == codeNoPeers {
			return passing(err)
		}
		return err
	})
	return c, err
}
