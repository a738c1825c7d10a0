package viewer

import (
	"context"
	"errors"
	"hash/crc32"
	"iter"

	"github.com/seed-a2b66b4f/agentgraph"
)

// mark is how far a journal was read, and what tells it from another under the same
// run ID: one that was deleted may have been begun anew, and be of any length. The
// zero mark is before the first record.
type mark struct {
	seq         uint64
	size        int // of the data that was read
	first, last imprint
}

// imprint is what a record is known by. Two attempts never begin with the same one.
type imprint struct {
	at   int64
	kind string
	size int
	sum  uint32
}

func imprintOf(r agentgraph.Record) imprint {
	return imprint{r.Time.UnixNano(), r.Kind, len(r.Data), crc32.Checksum(r.Data, crc32.MakeTable(crc32.Castagnoli))}
}

// pass goes beyond a record, the next one.
func (m *mark) pass(r agentgraph.Record) {
	m.last = imprintOf(r)
	if m.seq == 0 {
		m.first = m.last
	}
	m.seq = r.Seq
	m.size += len(r.Data)
}

// errOther: the journal is not the one that was read before.
var errOther = errors.New("another journal")

// little is the size up to which a journal is read on from the last record that is
// known. Some stores read a journal whole for that, and quickly only from its end; a
// longer one is known by its first record.
const little = 64 << 10

// news gives the records beyond the mark. Its first error is errOther if the journal
// is another one.
func (m mark) news(ctx context.Context, store agentgraph.Store, id string) iter.Seq2[agentgraph.Record, error] {
	switch {
	case m.seq == 0:
		return store.Read(ctx, id, 0)
	case m.size <= little:
		return m.afterLast(store.Read(ctx, id, m.seq-1))
	}
	return func(yield func(agentgraph.Record, error) bool) {
		if err := m.beginning(store.Read(ctx, id, 0)); err != nil {
			yield(agentgraph.Record{}, err)
			return
		}
		store.Read(ctx, id, m.seq)(yield)
	}
}

// afterLast leaves out the record that the mark has passed last, which comes first.
func (m mark) afterLast(records iter.Seq2[agentgraph.Record, error]) iter.Seq2[agentgraph.Record, error] {
	return func(yield func(agentgraph.Record, error) bool) {
		known := false
		for r, err := range records {
			switch {
			case err != nil:
				yield(r, err)
				return
			case known:
				if !yield(r, nil) {
					return
				}
			case r.Seq == m.seq && imprintOf(r) == m.last:
				known = true
			default:
				yield(agentgraph.Record{}, errOther)
				return
			}
		}
		if !known {
			yield(agentgraph.Record{}, errOther)
		}
	}
}

// beginning looks at the first record alone.
func (m mark) beginning(records iter.Seq2[agentgraph.Record, error]) error {
	for r, err := range records {
		if err == nil && imprintOf(r) != m.first {
			return errOther
		}
		return err
	}
	return errOther
}
