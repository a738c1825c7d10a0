package filestore

import (
	"sync"

	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

// tail is where a journal ends. The zero value is the end of an empty one.
type tail struct {
	life   string // of the journal, empty in an empty one
	seq    uint64 // of the last record
	sum    frame.Sum
	offset int64
}

// tails remembers the tails of the runs used last: of at least `remembered`, of at
// most twice as many. What it says may be old but was true, and durable. The zero
// value is ready.
type tails struct {
	mu         sync.Mutex
	newer, old map[string]tail
}

const remembered = 4096

func (t *tails) get(run string) tail {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(run)
}

func (t *tails) find(run string) tail {
	if now, ok := t.newer[run]; ok {
		return now
	}
	now, ok := t.old[run]
	if ok {
		t.put(run, now)
	}
	return now
}

func (t *tails) put(run string, now tail) {
	if _, there := t.newer[run]; !there && (t.newer == nil || len(t.newer) >= remembered) {
		t.newer, t.old = map[string]tail{}, t.newer
	}
	t.newer[run] = now
}

func (t *tails) set(run string, now tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.put(run, now)
}

// swap sets a tail unless somebody else did meanwhile.
func (t *tails) swap(run string, was, now tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now != was && t.find(run) == was {
		t.put(run, now)
	}
}
