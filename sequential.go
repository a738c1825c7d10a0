package agentgraph

import (
	"context"
	"iter"
)

// run takes turns and yields them, or only an error that ends it when it is not
// asked for turns.
//
// Agents run on a goroutine of their own, for one that calls runtime.Goexit ends
// the goroutine that it is on, which must not be the caller's. It has ended when
// run returns.
func (m *Meeting[B]) run(ctx context.Context, each bool) iter.Seq2[Turn[B], error] {
	if ctx == nil {
		ctx = context.Background()
	}
	return func(yield func(Turn[B], error) bool) {
		m.begin()
		if m.roster.options.Parallel > 1 {
			m.runParallel(ctx, each, yield)
			return
		}
		m.runSequential(ctx, each, yield)
	}
}

func (m *Meeting[B]) runSequential(ctx context.Context, each bool, yield func(Turn[B], error) bool) {
	d := &sequence[B]{meeting: m, left: m.turnsLeft(), each: each}
	d.turns = make(chan Turn[B])
	d.resume = make(chan bool)
	go d.run(ctx)
	defer d.stop()
	for turn := range d.turns {
		if m.news {
			m.news = false
			m.follow.tell()
		}
		if each && !yield(turn, nil) {
			return
		}
		d.resume <- true
	}
	if d.err != nil {
		yield(Turn[B]{}, d.err)
	}
}

// sequence takes turns one at a time.
type sequence[B any] struct {
	meeting *Meeting[B]
	left    int // turns that may still be taken
	turn    attempt[B]
	err     error

	each   bool         // each turn is to be shown
	turns  chan Turn[B] // those that are to be shown or told of; closed at the end
	resume chan bool    // closed when nobody looks any more
}

func (d *sequence[B]) run(ctx context.Context) {
	done := false
	defer func() {
		if !done { // the agent has called runtime.Goexit
			d.err = d.turn.failure(ctx, d.turn.err)
		}
		close(d.turns)
	}()
	for more := true; more; {
		more, d.err = d.step(ctx)
	}
	done = true
}

// stop ends the goroutine that run is on, if it has not ended.
func (d *sequence[B]) stop() {
	close(d.resume)
	for range d.turns {
	}
}

// step takes one turn and says whether to go on.
func (d *sequence[B]) step(ctx context.Context) (bool, error) {
	m := d.meeting
	agent, post, ok := m.loop.Next()
	switch {
	case !ok:
		return false, nil
	case ctx.Err() != nil:
		return false, stopped(ctx)
	case d.left == 0:
		return false, m.limitError(agent)
	}
	d.left--
	m.prepare(&d.turn, agent, post)
	d.turn.take(ctx)
	if d.turn.err != nil {
		return false, d.turn.failure(ctx, d.turn.err)
	}
	if err := d.turn.address(); err != nil {
		return false, err
	}
	m.commit(&d.turn, post)
	if !d.each && !m.news {
		return true, nil
	}
	d.turns <- m.turn(&d.turn)
	return <-d.resume, nil
}
