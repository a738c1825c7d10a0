package agentgraph

import (
	"log/slog"
	"time"
)

// moment is how long a step may last before the journal says that it has begun.
const moment = 250 * time.Millisecond

// silence is the longest time for which a run that goes on writes nothing.
const silence = time.Minute

// watch begins to look, now and then, for steps that last longer than a moment, and
// for silence.
func (r *run) watch() {
	if r.writer == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ticker = time.AfterFunc(moment, r.tick)
}

// tick writes what has been noted but not written, what has begun, and that the run
// goes on.
func (r *run) tick() {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	r.ticks.Add(1)
	defer r.ticks.Done()
	latest := r.since() - moment.Microseconds()
	for _, s := range r.open {
		s.noteStart(latest)
	}
	r.mu.Unlock()
	next := moment
	if err := r.writeTick(); err != nil {
		next = grace
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil && !r.ended {
		r.ticker.Reset(next)
	}
}

// writeTick writes what a tick has to write. Nobody could recover what a store or a
// logger panics with here: this is no goroutine of the caller's.
func (r *run) writeTick() error {
	ctx, done := r.writing()
	defer done()
	err := protected(func() error { return r.writer.Tick(ctx, silence) })
	if err == nil {
		return nil
	}
	_ = protected(func() error {
		r.log(ctx, slog.LevelWarn, "journal cannot be written now", "error", plain(err))
		return nil
	})
	return err
}

// noteStart notes the beginning of a step that began a while ago.
func (s *Step) noteStart(latest int64) {
	if s.frame.at <= latest {
		s.noteSelf()
	}
	if s.tick != nil {
		s.tick(latest)
	}
}

// unwatch ends the looking; nothing of it goes on afterwards.
func (r *run) unwatch() {
	r.mu.Lock()
	r.ended = true
	if r.ticker != nil {
		r.ticker.Stop()
	}
	r.mu.Unlock()
	r.ticks.Wait()
}

// opened says that the body of a step runs from here on.
func (s *Step) opened() {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.open = append(s.run.open, s)
}

// forget is for a step whose body has ended, usually that which began last.
func (r *run) forget(s *Step) {
	for i := len(r.open) - 1; i >= 0; i-- {
		if r.open[i] == s {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}
