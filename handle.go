package agentgraph

import (
	"fmt"
)

// usable returns an error, and fails the step at fault, if the handle is not to be
// used now.
func (s *Step) usable() error {
	var err error
	switch {
	case len(s.awaited) > 0:
		err = fmt.Errorf("%sthe handle of %v was used while it waits for steps started with Go: %w", prefix, s.frame, ErrWrongStep)
		for _, c := range s.awaited { // one of them did so
			c.blame(err)
		}
		return err
	case s.closed:
		err = fmt.Errorf("%s%v: %w", prefix, s.frame, ErrStepClosed)
	case s.child != nil:
		err = fmt.Errorf("%sthe handle of %v was used while %v is open: %w", prefix, s.frame, s.child.frame, ErrWrongStep)
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

func (s *Step) failing() error {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return s.fault
}

// shut ends the use of the handle, and returns what was wrong with it.
func (s *Step) shut() error {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.close()
	return s.fault
}

func (s *Step) close() { s.closed = true }
