package agentgraph

import "context"

// Do is a step whose result is the artifact of its name. It returns what it reads
// back from the JSON of that, which is the same whether the step ran or was skipped.
// Errors are those of [Step.Step], of f, and of [Get]. A function that reads or sets
// artifacts is for Step, whose body has a handle. Where T has changed since the step
// was recorded, the result may not fit any more, in any attempt, which is an
// *[ArtifactError] that says so: name the step anew. Where a field of a struct was
// renamed it fits, and the field is zero.
//
// In steps that run at once, let each Do have a name of its own: two of one name
// leave different values in one artifact, which is [ErrArtifactConflict] unless
// their steps delete it before they return.
func Do[T any](s *Step, name string, f func(ctx context.Context) (T, error), extra ...Extra) (T, error) {
	path, ran := "", false
	w := work{
		prepare: func(c *Step) error { path = c.frame.path; return nil },
		body: func(c *Step) error {
			ran = true
			t, err := f(c.Context())
			if err != nil {
				return err
			}
			c.Set(name, t)
			return nil
		},
	}
	if f == nil {
		w.body = nil
	}
	if err := s.do(name, "", w, extra); err != nil {
		var none T
		return none, err
	}
	return resultOf[T](s, name, path, ran)
}
