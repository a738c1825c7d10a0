package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// openPostgres opens the journals of a database. It makes their tables where there
// are none, whatever create says.
func openPostgres(ctx context.Context, url string, _ bool) (agentgraph.Store, func() error, error) {
	store, err := pgstore.Open(ctx, url, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// openNATS opens the journals of a stream, which the path of the URL may name. It
// makes the stream where there is none, whatever create says.
func openNATS(ctx context.Context, text string, _ bool) (agentgraph.Store, func() error, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" { // the error would show a password
		return nil, nil, errors.New("open NATS store: the URL cannot be used: it is nats://HOST[:PORT][/STREAM], and % / @ in a user or password are %25 %2F %40")
	}
	stream := strings.Trim(u.Path, "/")
	u.Path = ""
	nc, err := nats.Connect(u.String(), nats.Name("agentgraph"))
	if err != nil {
		return nil, nil, fmt.Errorf("open NATS store at %s: %w", u.Redacted(), err)
	}
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Stream: stream})
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return store, func() error { nc.Close(); return nil }, nil
}
