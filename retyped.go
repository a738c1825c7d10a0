package agentgraph

import "fmt"

// retypedError is that of a step whose result an earlier attempt recorded and this one
// cannot read: most likely it has another type now. It blocks the run in any attempt:
// whoever reads it is told how to go on.
type retypedError struct {
	path string
	err  *ArtifactError
}

// Error names the step, whose own body was not called.
func (e *retypedError) Error() string {
	return fmt.Sprintf("%sstep %q: the result that an earlier attempt recorded does not fit; if its type has changed, name the step anew: %s", prefix, e.path, unprefixed(e.err))
}

// Unwrap returns the *ArtifactError.
func (e *retypedError) Unwrap() error { return e.err }

// resultOf reads the result of a step, which ran or was skipped, back from its JSON.
func resultOf[T any](s *Step, name, path string, ran bool) (T, error) {
	t, err := Get[T](s, name)
	if bad, ok := err.(*ArtifactError); ok && !ran { //nolint:errorlint // it is that of Get, as it is
		return t, &retypedError{path, bad}
	}
	return t, err
}
