package natsstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// page is the answer to one request.
type page struct {
	messages []*message // without a sequence if they are bare
	last     uint64     // the sequence of the last of them, as the server says
}

// What one request brings at most, but for the message that goes beyond.
const (
	pageMessages = 512
	pageBytes    = 1 << 20
)

// pageRequest asks for messages of a subject from a sequence on. NATS calls Bare
// unfinished, so nothing but speed stands on it: a server that knows nothing of it
// sends the headers, too.
type pageRequest struct {
	From    uint64 `json:"seq"`
	Subject string `json:"next_by_subj"`
	Most    int    `json:"batch"`
	Bytes   int    `json:"max_bytes"`
	Bare    bool   `json:"no_hdr,omitempty"`
}

// direct asks whatever server keeps the stream, once. It makes no consumer, so that
// nothing is left behind.
func (s *Store) direct(ctx context.Context, subject string, from uint64, bare bool, wait time.Duration) (page, error) {
	request, err := json.Marshal(pageRequest{from, subject, pageMessages, pageBytes, bare})
	if err != nil {
		return page{}, err
	}
	replies, err := listen(s.link.nc, pageMessages+1)
	if err != nil {
		return page{}, err
	}
	defer replies.close()
	if err := s.link.nc.PublishRequest(s.directSubject(), replies.sub.Subject, request); err != nil {
		return page{}, err
	}
	return collect(ctx, replies, bare, wait)
}

func (s *Store) directSubject() string { return apiSubject("DIRECT.GET." + s.stream) }

// collect takes the answers to one request up to the word that it was the last.
// Each names the one before, unless it is bare, so that none goes missing when a
// connection breaks.
func collect(ctx context.Context, replies *answers, bare bool, wait time.Duration) (page, error) {
	var p page
	for {
		m, err := replies.next(ctx, wait)
		if err != nil {
			return page{}, err
		}
		status, before := m.Header.Get("Status"), number(m, jetstream.LastSequenceHeader)
		switch {
		case status == "404":
			return page{}, nil
		case status != "" && status != "204":
			return page{}, fmt.Errorf("the server refuses a read: %s %s", status, m.Header.Get("Description"))
		case !bare && before != p.last:
			return page{}, errAgain
		case status == "204": // the end
			p.last = before
			return p, nil
		}
		p.last = number(m, jetstream.SequenceHeader)
		p.messages = append(p.messages, &message{p.last, m.Header, m.Data})
	}
}

// number is the last value of a header: the server puts its own behind ours.
func number(m *nats.Msg, header string) uint64 {
	values := m.Header[header]
	if len(values) == 0 {
		return 0
	}
	n, err := strconv.ParseUint(values[len(values)-1], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
