package filestore

import "github.com/seed-a2b66b4f/agentgraph/internal/frame"

// tail is where a journal ends. The zero value is the end of an empty one. What a
// store remembers of tails may be old, but was true, and durable.
type tail struct {
	life   string // of the journal, empty in an empty one
	seq    uint64 // of the last record
	sum    frame.Sum
	offset int64
}
