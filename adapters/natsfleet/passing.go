package natsfleet

import "errors"

// Passing marks an error as one that may not come again: a flow that returns it, or
// an error that wraps it, is tried again after a while ([Backoff]). It is nil for
// nil, and reads as the error itself.
func Passing(err error) error {
	if err == nil {
		return nil
	}
	return &passingError{err}
}

// IsPassing tells whether an error, or one that it wraps, was marked by [Passing].
func IsPassing(err error) bool {
	_, ok := errors.AsType[*passingError](err)
	return ok
}

type passingError struct{ error }

func (e *passingError) Unwrap() error { return e.error }
