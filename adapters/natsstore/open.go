package natsstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func open(ctx context.Context, nc *nats.Conn, o Options) (*Store, error) {
	if nc == nil {
		return nil, errors.New("no connection")
	}
	if strings.ContainsAny(o.Stream, " .*>/\\\t\r\n\x00") {
		return nil, errors.New("a stream's name has no blank, dot, slash or wildcard")
	}
	l := link{nc, firstWait}
	info, err := findOrMake(ctx, l, o)
	if err != nil {
		return nil, err
	}
	if err := fit(info.Config, o, nc.ConnectedServerVersion()); err != nil {
		return nil, err
	}
	s := &Store{link: l, stream: o.Stream, limit: int64(info.Config.MaxMsgSize)}
	if s.piece() <= 0 {
		return nil, fmt.Errorf("%w: a message may have %d bytes, and needs more than %d", ErrUnfit, s.piece()+reserve, reserve)
	}
	if o.Sync {
		if err := synced(ctx, o.System, keepers(info)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// streamConfig is what a stream is made as. One that fills up refuses: it must not
// drop the beginning of a journal.
func streamConfig(o Options) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               o.Stream,
		Description:        "Journals of agentgraph, one subject a run",
		Subjects:           []string{o.Stream + ".*"},
		Storage:            jetstream.FileStorage,
		Replicas:           max(o.Replicas, 1),
		MaxBytes:           o.MaxBytes,
		Discard:            jetstream.DiscardNew,
		AllowDirect:        true,
		AllowAtomicPublish: true,
	}
}

// streamAnswer is the stream as it is.
type streamAnswer struct {
	failure
	jetstream.StreamInfo
}

// findOrMake asks for the stream, then makes it. One that somebody else makes
// meanwhile is found the next time.
func findOrMake(ctx context.Context, l link, o Options) (info *jetstream.StreamInfo, err error) {
	silent := 0
	err = l.patiently(ctx, apiSubject("STREAM.INFO."+o.Stream), func(wait time.Duration) error {
		var found streamAnswer
		err := l.api(ctx, "STREAM.INFO."+o.Stream, struct{}{}, wait, &found)
		if codeOf(err) == jetstream.JSErrCodeStreamNotFound {
			if o.Existing {
				return ErrNoStream
			}
			if err := checkVersion(l.nc.ConnectedServerVersion()); err != nil {
				return err
			}
			found = streamAnswer{}
			err = makeStream(ctx, l, o, wait, &found)
		}
		info = &found.StreamInfo
		switch code := codeOf(err); {
		case errors.Is(err, nats.ErrNoResponders):
			if silent++; silent == patience {
				return fmt.Errorf("%w: nobody answers for it at %s", jetstream.ErrJetStreamNotEnabled, l.nc.ConnectedServerName())
			}
		case code == jetstream.JSErrCodeJetStreamNotEnabled, code == jetstream.JSErrCodeJetStreamNotEnabledForAccount:
			return fmt.Errorf("%w: %w", jetstream.ErrJetStreamNotEnabled, err)
		case code == jetstream.JSErrCodeStreamNameInUse, code == codeNoPeers:
			return passingError{err}
		}
		return err
	})
	return info, err
}

// patience is how often nobody may answer for JetStream before it counts as not
// enabled: some seconds, in which the servers of a cluster find each other.
const patience = 16

// makeStream makes the stream. It tells a refusal by the subject of its own.
func makeStream(ctx context.Context, l link, o Options, wait time.Duration, made *streamAnswer) error {
	call := "STREAM.CREATE." + o.Stream
	err := l.api(ctx, call, streamConfig(o), wait, made)
	if errors.Is(err, errNoAnswer) {
		if refusal := l.refusal(apiSubject(call)); refusal != nil {
			return refusal
		}
	}
	return err
}

// fit tells whether a stream keeps what it is given.
func fit(c jetstream.StreamConfig, o Options, version string) error {
	if c.AllowAtomicPublish && c.AllowDirect && c.PersistMode == jetstream.DefaultPersistMode {
		return unfit(c, o)
	}
	if c.Description == streamConfig(o).Description && !c.AllowAtomicPublish {
		return tooOld(version)
	}
	return fmt.Errorf("%w: it must allow direct and atomic, and persist by default", ErrUnfit)
}

func unfit(c jetstream.StreamConfig, o Options) error {
	for _, rule := range []struct {
		broken bool
		fault  string
	}{
		{!slices.Contains(c.Subjects, o.Stream+".*"), "its subjects lack " + o.Stream + ".*"},
		{c.Storage != jetstream.FileStorage, "it is kept in memory"},
		{c.Retention != jetstream.LimitsPolicy, "it drops what was consumed"},
		{c.Discard != jetstream.DiscardNew, "it drops what is old when it is full"},
		{c.MaxAge != 0, "it drops what is old"},
		{c.MaxMsgsPerSubject > 0 && !c.DiscardNewPerSubject, "it drops the beginning of a long journal"},
		{c.NoAck, "it acknowledges nothing"},
		{c.Sealed, "it is sealed"},
		{c.DenyPurge, "nothing can be deleted from it"},
		{c.Mirror != nil || len(c.Sources) > 0, "it copies another stream"},
		{c.SubjectTransform != nil, "it renames subjects"},
		{c.Replicas < o.Replicas, fmt.Sprintf("it has %d replicas of %d", c.Replicas, o.Replicas)},
	} {
		if rule.broken {
			return fmt.Errorf("%w: %s", ErrUnfit, rule.fault)
		}
	}
	return nil
}

// keepers are the names of the servers that keep the stream.
func keepers(info *jetstream.StreamInfo) []string {
	if info.Cluster == nil {
		return nil
	}
	names := []string{info.Cluster.Leader}
	for _, peer := range info.Cluster.Replicas {
		names = append(names, peer.Name)
	}
	return names
}
