package agentgraph

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"golang.org/x/exp/maps"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Artifacts are the named JSON values of a run. Whoever gets them gets a copy.
type Artifacts map[string]json.RawMessage

// Extra is an extra input artifact of one step: see [Input].
type Extra struct {
	name  string
	value *snapshot.Value
	err   error
}

// Input gives a step an extra input artifact. It stays among the artifacts after a
// step that succeeded or was skipped; that of a step started with [Step.Go] is its
// own and does not. A value that JSON cannot hold fails the step. The value is
// taken as it is now.
func Input(name string, value any) Extra {
	v, err := newValue(name, value)
	return Extra{name, v, err}
}

// Get returns an artifact. It is [ErrNoArtifact] when there is none, and an
// *[ArtifactError] when the value does not fit T. Numbers keep every digit in a
// json.RawMessage, a json.Number or a type that can hold them; in an any they
// become a float64, as everywhere.
func Get[T any](s *Step, name string) (T, error) {
	var t T
	v, err := s.get(name)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(v.Raw, &t); err != nil {
		return t, &ArtifactError{Artifact: name, Err: err}
	}
	return t, nil
}

func (s *Step) get(name string) (*snapshot.Value, error) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, err
	}
	v := s.artifacts.Get(name)
	switch {
	case v != nil:
		return v, nil
	case len(s.started) > 0:
		err := fmt.Errorf("%w: what steps started with Go leave is there after Wait", ErrNoArtifact)
		return nil, &ArtifactError{Artifact: name, Err: err}
	}
	return nil, &ArtifactError{Artifact: name, Err: ErrNoArtifact}
}

// Set gives an artifact a value, which is JSON from now on. A value that JSON
// cannot hold, such as NaN, a channel or a text that is not valid UTF-8, fails the
// step with an *[ArtifactError] when its body returns; until then the artifact has
// the value that it had.
func (s *Step) Set(name string, value any) {
	v, err := newValue(name, value)
	s.change(func() {
		if err != nil {
			s.blame(err)
			return
		}
		s.put(name, v)
	})
}

// Delete removes an artifact. It does nothing where there is none.
func (s *Step) Delete(name string) {
	s.change(func() { s.artifacts = s.artifacts.Without(name) })
}

func (s *Step) change(f func()) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if s.usable() == nil {
		f()
	}
}

// put sets a value, unless it is there in just that form.
func (s *Step) put(name string, v *snapshot.Value) {
	if !s.artifacts.Get(name).Same(v) {
		s.artifacts = s.artifacts.With(name, v)
	}
}

// Artifacts returns a copy of all artifacts. It costs their size.
func (s *Step) Artifacts() Artifacts {
	s.run.mu.Lock()
	m := s.artifacts
	_ = s.usable()
	s.run.mu.Unlock()
	return copied(m)
}

func copied(m snapshot.Map) Artifacts {
	a := Artifacts{}
	for name, v := range m.All() {
		a[name] = slices.Clone(v.Raw)
	}
	return a
}

// newValue makes a value of a Go value.
func newValue(name string, value any) (*snapshot.Value, error) {
	if !utf8.ValidString(name) {
		return nil, &ArtifactError{Artifact: name, Err: fmt.Errorf("%sname is not valid UTF-8", prefix)}
	}
	raw, err := canon.Marshal(value)
	if err != nil {
		return nil, &ArtifactError{Artifact: name, Err: err}
	}
	return named(name, raw)
}

func named(name string, raw json.RawMessage) (*snapshot.Value, error) {
	v, err := snapshot.NewValue(raw)
	if err != nil {
		return nil, &ArtifactError{Artifact: name, Err: err}
	}
	return v, nil
}

// merged returns artifacts with those of a and their values. Those that are as they
// were stay the same.
func merged(m snapshot.Map, a Artifacts) (snapshot.Map, error) {
	names := maps.Keys(a)
	slices.Sort(names)
	for _, name := range names {
		if old := m.Get(name); old != nil && string(old.Raw) == string(a[name]) {
			continue
		}
		v, err := newValue(name, a[name])
		if err != nil {
			return m, err
		}
		if !m.Get(name).Same(v) {
			m = m.With(name, v)
		}
	}
	return m, nil
}

// ArtifactError is an error about one artifact.
type ArtifactError struct {
	Artifact string
	Err      error
}

// Error names the artifact.
func (e *ArtifactError) Error() string {
	return fmt.Sprintf("%sartifact %q: %s", prefix, e.Artifact, unprefixed(e.Err))
}

// Unwrap returns Err.
func (e *ArtifactError) Unwrap() error { return e.Err }
