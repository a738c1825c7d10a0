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

// openPostgres opens the journals of a database, in tables that the URL may name.
func openPostgres(ctx context.Context, text string, create bool) (agentgraph.Store, func() error, error) {
	if !strings.Contains(text, "://") {
		return nil, nil, errors.New("open PostgreSQL store: the URL cannot be used: it is postgres://HOST/DATABASE")
	}
	rest, tables, err := tablesOf(text)
	if err != nil {
		return nil, nil, fmt.Errorf("open PostgreSQL store: the URL cannot be used: %w", err)
	}
	tables.Existing = !create
	store, err := pgstore.Open(ctx, rest, &tables)
	if errors.Is(err, pgstore.ErrNoTables) {
		err = fmt.Errorf("%w; ?schema=NAME&prefix=NAME in the URL names others", err)
	}
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// openNATS opens the journals of a stream, which the path of the URL may name.
func openNATS(ctx context.Context, text string, create bool) (agentgraph.Store, func() error, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" { // the error would show a password
		return nil, nil, errors.New("open NATS store: the URL cannot be used: it is nats://HOST[:PORT][/STREAM], and % / ? # @ in a user or password are %25 %2F %3F %23 %40")
	}
	stream := strings.Trim(u.Path, "/")
	u.Path = ""
	nc, err := connect(u.String())
	if errors.Is(err, nats.ErrAuthorization) && u.User == nil {
		err = fmt.Errorf("%w; nats://USER:PASSWORD@HOST says who you are", err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open NATS store at %s: %w", u.Redacted(), err)
	}
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Stream: stream, Existing: !create})
	if err != nil {
		defer nc.Close()
		return nil, nil, advised(ctx, nc, err)
	}
	return store, func() error { nc.Close(); return nil }, nil
}

// connect fails at once where there is no server. One that goes away later it waits
// for, however long: nats gives up after some two minutes unless it is told not to. Nor
// may nats write to standard error what a call is told, too.
func connect(url string, more ...nats.Option) (*nats.Conn, error) {
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	return nats.Connect(url, append([]nats.Option{nats.Name("agentgraph"), nats.MaxReconnects(-1), quiet}, more...)...)
}
