package natsstore

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
)

// answers are those to one request that has several.
type answers struct {
	sub *nats.Subscription
	ch  chan *nats.Msg
}

// listen makes room for so many answers: what comes beyond is dropped.
func listen(nc *nats.Conn, room int) (*answers, error) {
	ch := make(chan *nats.Msg, room)
	sub, err := nc.ChanSubscribe(nc.NewInbox(), ch)
	if err != nil {
		return nil, err
	}
	return &answers{sub, ch}, nil
}

func (a *answers) close() { _ = a.sub.Unsubscribe() } // fails only where the connection is gone

// next waits for one. That there is nobody to give any is an error.
func (a *answers) next(ctx context.Context, wait time.Duration) (*nats.Msg, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, errNoAnswer
	case m := <-a.ch:
		if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
			return nil, nats.ErrNoResponders
		}
		return m, nil
	}
}
