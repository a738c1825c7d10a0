package agentgraph

import (
	"errors"
	"reflect"
	"slices"
)

// origin is the step whose body an error left first.
type origin struct {
	err  error
	path string
}

// keptOrigins is how many a step remembers; errors before those were handled.
const keptOrigins = 16

// hear remembers where an error of a step in this one comes from.
func (s *Step) hear(err error, path string) {
	if len(s.origins) == keptOrigins {
		s.origins = slices.Delete(s.origins, 0, 1)
	}
	s.origins = append(s.origins, origin{err, path})
}

// origin finds where an error of a step in this one, or one that wraps it, comes from.
func (s *Step) origin(err error) (path string, ok bool) {
	for _, o := range slices.Backward(s.origins) {
		if carries(err, o.err) {
			return o.path, true
		}
	}
	return "", false
}

// tell says to the step above which error this one ended with, and which step that
// came from.
func (s *Step) tell(err error) {
	s.path = s.frame.path
	if path, ok := s.origin(err); ok {
		s.path = path
	}
	if s.branch == nil {
		s.up.hear(err, s.path)
	}
}

// carries says whether an error is another or wraps it. Some must not be compared.
func carries(err, other error) bool {
	return other != nil && reflect.ValueOf(other).Comparable() && errors.Is(err, other)
}
