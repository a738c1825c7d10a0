package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

func (f *Fleet) runsName() string  { return f.options.Name + "-runs" }
func (f *Fleet) queueName() string { return f.options.Name + "-queue" }

func (f *Fleet) runSubject(runID string) string { return f.runsName() + "." + escaped(runID) }

func (f *Fleet) queueSubject(flow, runID string) string {
	return f.queueName() + "." + escaped(flow) + "." + escaped(runID)
}

func (f *Fleet) openStreams(ctx context.Context) (err error) {
	f.runs, err = f.stream(ctx, jetstream.StreamConfig{
		Name:              f.runsName(),
		Description:       "What becomes of the runs of an agentgraph fleet, one subject a run",
		Subjects:          []string{f.runsName() + ".*"},
		MaxMsgsPerSubject: 1,
	})
	if err != nil {
		return err
	}
	f.queue, err = f.stream(ctx, jetstream.StreamConfig{
		Name:        f.queueName(),
		Description: "The runs of an agentgraph fleet that somebody is to work on",
		Subjects:    []string{f.queueName() + ".*.*"},
		Retention:   jetstream.WorkQueuePolicy,
	})
	return err
}

// stream finds a stream, or makes it. What is full refuses and drops nothing. Reads
// go to the leader, which alone knows what was acknowledged last.
func (f *Fleet) stream(ctx context.Context, c jetstream.StreamConfig) (s jetstream.Stream, err error) {
	c.Storage, c.Discard, c.Replicas = jetstream.FileStorage, jetstream.DiscardNew, max(f.options.Replicas, 1)
	silent := 0
	err = f.link.patiently(ctx, "$JS.API.STREAM.INFO."+c.Name, func(ctx context.Context) (err error) {
		s, err = f.js.Stream(ctx, c.Name)
		if isUnanswered(err) {
			if silent++; silent == patience {
				return finalError{fmt.Errorf("%w: nobody answers for it at %s", jetstream.ErrJetStreamNotEnabled, f.link.nc.ConnectedServerName())}
			}
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			s, err = f.create(ctx, c)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("stream %q: %w", c.Name, err)
	}
	return s, fit(s.CachedInfo().Config, c)
}

// patience is how often nobody may answer for JetStream before it counts as not
// enabled: some seconds, in which the servers of a cluster find each other.
const patience = 16

// create makes a stream. One that somebody else makes meanwhile, or for which there
// are too few servers for now, is looked for again.
func (f *Fleet) create(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := f.js.CreateStream(ctx, c)
	if err == nil {
		return s, nil
	}
	if code := codeOf(err); code == jetstream.JSErrCodeStreamNameInUse || code == codeNoPeers {
		return nil, passing(err)
	}
	if refusal := f.link.refusal("$JS.API.STREAM.CREATE." + c.Name); refusal != nil {
		return nil, refusal
	}
	return nil, err
}

// fit tells whether a stream that is there does what one made here would.
func fit(is, want jetstream.StreamConfig) error {
	for _, rule := range []struct {
		broken bool
		fault  string
	}{
		{!slices.Equal(is.Subjects, want.Subjects), fmt.Sprintf("its subjects are %q", is.Subjects)},
		{is.Storage != want.Storage, "it is kept in memory"},
		{is.Retention != want.Retention, "it is retained by " + is.Retention.String()},
		{is.Discard != want.Discard, "it drops what is old when it is full"},
		{is.MaxMsgsPerSubject > 0 && is.MaxMsgsPerSubject != want.MaxMsgsPerSubject, "it drops what is waiting"},
		{is.MaxAge != 0, "it drops what is old"},
		{is.AllowDirect, "its followers answer for it"},
		{is.NoAck, "it acknowledges nothing"},
		{is.Sealed, "it is sealed"},
		{is.Mirror != nil || len(is.Sources) > 0, "it copies another stream"},
		{is.Replicas < want.Replicas, fmt.Sprintf("it has %d replicas of %d", is.Replicas, want.Replicas)},
	} {
		if rule.broken {
			return fmt.Errorf("%w: %q: %s", ErrUnfit, want.Name, rule.fault)
		}
	}
	return nil
}
