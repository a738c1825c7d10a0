package natsstore

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
)

// message is one that the stream holds.
type message struct {
	stored uint64 // its sequence in the stream
	header nats.Header
	text   []byte
}

// more tells whether the append goes on in the next message.
func (m *message) more() bool { return m.header.Get(moreHeader) != "" }

// follows tells whether this is a piece, and not the last, of an append that comes
// after a record.
func (m *message) follows(seq uint64) bool {
	return m.header.Get(moreHeader) == strconv.FormatUint(seq, 10)
}

// getRequest asks for one message: the last of a subject, or the first of one from
// a sequence on.
type getRequest struct {
	Seq  uint64 `json:"seq,omitempty"`
	Last string `json:"last_by_subj,omitempty"`
	Next string `json:"next_by_subj,omitempty"`
}

// get asks the stream's leader, once; nil if there is no such message. The leader
// alone knows what was acknowledged last.
func (s *Store) get(ctx context.Context, request getRequest, wait time.Duration) (*message, error) {
	var answer struct {
		failure
		Message struct {
			Stored uint64 `json:"seq"`
			Header []byte `json:"hdrs"`
			Text   []byte `json:"data"`
		} `json:"message"`
	}
	err := s.link.api(ctx, "STREAM.MSG.GET."+s.stream, request, wait, &answer)
	if codeOf(err) == jetstream.JSErrCodeMessageNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &message{stored: answer.Message.Stored, text: answer.Message.Text}
	if len(answer.Message.Header) == 0 {
		return m, nil
	}
	if m.header, err = nats.DecodeHeadersMsg(answer.Message.Header); err != nil {
		return nil, corrupt(m.stored, err.Error())
	}
	return m, nil
}

// last is where the journal ends.
func (s *Store) last(ctx context.Context, subject string) (tail, error) {
	return s.at(ctx, getRequest{Last: subject})
}

func (s *Store) lastOnce(ctx context.Context, subject string, wait time.Duration) (tail, error) {
	return s.atOnce(ctx, getRequest{Last: subject}, wait)
}

// at is where the journal stands behind a message, the zero tail if there is none.
func (s *Store) at(ctx context.Context, request getRequest) (there tail, err error) {
	err = s.link.patiently(ctx, apiSubject("STREAM.MSG.GET."+s.stream), func(wait time.Duration) error {
		there, err = s.atOnce(ctx, request, wait)
		return err
	})
	return there, err
}

func (s *Store) atOnce(ctx context.Context, request getRequest, wait time.Duration) (tail, error) {
	m, err := s.get(ctx, request, wait)
	if m == nil || err != nil {
		return tail{}, err
	}
	header := lastHeader
	if m.more() {
		header = moreHeader
	}
	seq, err := strconv.ParseUint(m.header.Get(header), 10, 64)
	if err != nil {
		return tail{}, corrupt(m.stored, "it is not an append of this store")
	}
	return tail{seq, m.stored, m.more()}, nil
}

func corrupt(stored uint64, reason string) error {
	return fmt.Errorf("%w: message %d: %s", agentgraph.ErrCorrupt, stored, reason)
}
