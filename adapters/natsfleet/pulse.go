package natsfleet

import (
	"context"
	"time"
)

// pulse says now and then that the run is still worked on, and looks whether it
// should be.
func (s *shift) pulse() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(s.fleet.pulse)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				_ = s.msg.InProgress()
			case <-s.word:
			}
			s.beat(quit)
		}
	}()
	return func() { close(quit); <-done }
}

// beat stops the work if the run was cancelled.
func (s *shift) beat(quit <-chan struct{}) {
	ctx, cancel := context.WithTimeout(s.writes, s.fleet.pulse)
	defer cancel()
	go func() {
		select {
		case <-quit:
			cancel()
		case <-ctx.Done():
		}
	}()
	if t, err := s.fleet.ticket(ctx, s.runID); err == nil && t.State == Cancelled {
		s.cancel(ErrCancelled)
	}
}

// look makes the pulse come now.
func (s *shift) look() {
	select {
	case s.word <- struct{}{}:
	default:
	}
}
