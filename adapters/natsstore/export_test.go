package natsstore

import (
	"testing"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

var (
	Escaped    = escaped
	IsConflict = isConflict
	Unescaped  = unescaped
	Pages      = pages
	RecordsOf  = recordsOf
)

// Hurry makes the store wait but a moment for an answer.
func (s *Store) Hurry() { s.link.wait = 50 * time.Millisecond }

// Forget makes the store know nothing of any journal.
func (s *Store) Forget() {
	s.tails.Forget()
}

// Subject is the subject of a run.
func (s *Store) Subject(runID string) string { return s.subject(runID) }

// Text is what a message holds of an append.
func Text(tb testing.TB, after uint64, records ...agentgraph.Record) []byte {
	b, err := batchOf("run", after, records)
	if err != nil {
		tb.Fatal(err)
	}
	return b.text
}
