package natsfleet

import "github.com/nats-io/nats.go"

// Words are messages that nobody keeps: they only make others look sooner.

func (f *Fleet) settledSubject(runID string) string {
	return f.options.Name + "-word.settled." + escaped(runID)
}

func (f *Fleet) cancelSubject(runID string) string {
	return f.options.Name + "-word.cancel." + escaped(runID)
}

// tell sends a word. If that fails, others look a little later.
func (f *Fleet) tell(subject string) { _ = f.link.nc.Publish(subject, nil) }

// listen returns a channel that has something in it after a word.
func (f *Fleet) listen(subject string) (word <-chan struct{}, stop func(), err error) {
	c := make(chan struct{}, 1)
	sub, err := f.link.nc.Subscribe(subject, func(*nats.Msg) {
		select {
		case c <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return c, func() { _ = sub.Unsubscribe() }, nil
}
