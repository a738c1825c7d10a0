package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// advised adds to an error what to do: to that of a stream that is not there, or not one
// of journals, how a URL names another, and which there are.
func advised(ctx context.Context, nc *nats.Conn, err error) error {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		return fmt.Errorf("%w; a nats-server has JetStream with -js", err)
	}
	if !errors.Is(err, natsstore.ErrNoStream) && !errors.Is(err, natsstore.ErrUnfit) {
		return err
	}
	text := "a URL names one as nats://HOST/STREAM, and a fleet's is NAME-journal"
	if found := journalStreams(ctx, nc); len(found) > 0 {
		text += "; there are: " + strings.Join(found, ", ")
	}
	return fmt.Errorf("%w; %s", err, text)
}

const (
	streamsTold = 10
	streamsWait = 2 * time.Second // for all: who may not list streams gets no answer
)

// journalStreams are the first streams that a store could open, as far as they can be
// found out in short.
func journalStreams(ctx context.Context, nc *nats.Conn) []string {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, streamsWait)
	defer cancel()
	var found []string
	for info := range js.ListStreams(ctx).Info() {
		name := info.Config.Name
		if !slices.Contains(info.Config.Subjects, name+".*") || !info.Config.AllowAtomicPublish {
			continue // it need not be asked
		}
		if _, err := natsstore.Open(ctx, nc, &natsstore.Options{Stream: name, Existing: true}); err != nil {
			continue
		}
		if len(found) == streamsTold {
			return append(found, "…")
		}
		found = append(found, name)
	}
	return found
}
