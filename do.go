package agentgraph

import "context"

// Do is a step whose result is the artifact of its name. It returns what it reads
// back from the JSON of that, which is the same whether the step ran or was skipped.
// Errors are those of [Step.Step], of f, and of [Get]. A function that reads or sets
// artifacts is for Step, whose body has a handle. Where T has changed since the step
// was recorded, the result may not fit any more, in any attempt: name the step anew.
//
// In steps that run at once, let each Do have a name of its own: two of one name
// leave different values in one artifact, which is [ErrArtifactConflict] unless
// their steps delete it before they return.
func Do[T any](s *Step, name string, f func(ctx context.Context) (T, error), extra ...Extra) (T, error) {
	err := s.Step(name, func(c *Step) error {
		t, err := f(c.Context())
		if err != nil {
			return err
		}
		c.Set(name, t)
		return nil
	}, extra...)
	if err != nil {
		var none T
		return none, err
	}
	return Get[T](s, name)
}
