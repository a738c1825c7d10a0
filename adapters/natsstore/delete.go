package natsstore

import (
	"context"
	"errors"
	"time"
)

// delete purges the subject. What is known of the journal stays in s.tails, to
// fence those who knew it too.
func (s *Store) delete(ctx context.Context, runID string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	subject := s.subject(runID)
	var first *message // of the journal that is to go
	unsure := false    // whether a purge is under way
	call := "STREAM.PURGE." + s.stream
	return s.link.patiently(ctx, apiSubject(call), func(wait time.Duration) error {
		now, err := s.get(ctx, getRequest{Next: subject}, wait)
		if err != nil {
			return err
		}
		if now == nil || unsure && now.stored != first.stored {
			return nil // a journal that was begun since must stay
		}
		first = now
		err = s.link.api(ctx, call, map[string]string{"filter": subject}, wait, &failure{})
		unsure = errors.Is(err, errNoAnswer)
		return err
	})
}
