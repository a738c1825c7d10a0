package natsstore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// Headers of a message, beside those that the server knows.
const (
	idHeader   = "Agentgraph-Append" // which append it is of
	lastHeader = "Agentgraph-Last"   // the Seq of the append's last record
	moreHeader = "Agentgraph-More"   // the append goes on in the next message; the Seq it comes after
)

// batch is the records of one append, each a line.
type batch struct {
	id    string // of this append and no other
	after uint64 // Seq
	last  uint64 // Seq
	text  []byte
	most  largest
}

// largest is the largest record of a batch, to name it.
type largest struct {
	seq  uint64
	kind string
	size int
}

// batchOf makes lines of records.
func batchOf(runID string, after uint64, records []agentgraph.Record) (batch, error) {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return batch{}, err
	}
	b := batch{id: nuid.Next(), after: after, last: after + uint64(len(records))}
	var sum frame.Sum
	for i, r := range records {
		r, err := r.Stored(after + 1 + uint64(i))
		if err != nil {
			return batch{}, err
		}
		b.text, sum = frame.Append(b.text, frame.Line{
			Seq: r.Seq, Time: r.Time, Kind: r.Kind, Data: r.Data, More: i+1 < len(records),
		}, sum)
		if size := len(r.Data); size > b.most.size {
			b.most = largest{r.Seq, r.Kind, size}
		}
	}
	return b, nil
}

// message is a piece of the batch.
func (b *batch) message(subject string, text []byte, more bool) *nats.Msg {
	h := nats.Header{idHeader: {b.id}, lastHeader: {strconv.FormatUint(b.last, 10)}}
	if more {
		h[moreHeader] = []string{strconv.FormatUint(b.after, 10)}
	}
	return &nats.Msg{Subject: subject, Header: h, Data: text}
}

// recordsOf takes the whole text of a batch apart. Each has its data to itself, in
// one piece of memory with the others.
func recordsOf(text []byte) ([]agentgraph.Record, error) {
	var list []agentgraph.Record
	var sum frame.Sum
	for line := range bytes.Lines(text) {
		l, next, err := frame.Decode(line, sum)
		if err != nil {
			return nil, err
		}
		if n := len(list); n > 0 && l.Seq != list[n-1].Seq+1 {
			return nil, fmt.Errorf("record %d comes after %d", l.Seq, list[n-1].Seq)
		}
		list = append(list, agentgraph.Record{Seq: l.Seq, Time: l.Time, Kind: l.Kind, Data: slices.Clip(l.Data)})
		sum = next
	}
	if len(list) == 0 || !frame.Ends(text) {
		return nil, errors.New("it is not whole")
	}
	return list, nil
}
