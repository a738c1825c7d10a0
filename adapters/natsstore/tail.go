package natsstore

import "sync"

// tail is where a journal ends. The zero value is the end of an empty one.
type tail struct {
	seq    uint64 // of the last record
	stored uint64 // of the last message, in the stream
}

// tails remembers the tails of the runs used last: of at least `remembered`, of at
// most twice as many. What it says may be old but was true. The zero value is ready.
type tails struct {
	mu         sync.Mutex
	newer, old map[string]tail
}

const remembered = 4096

func (t *tails) get(runID string) tail {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(runID)
}

func (t *tails) find(runID string) tail {
	if now, ok := t.newer[runID]; ok {
		return now
	}
	now, ok := t.old[runID]
	if ok {
		t.put(runID, now)
	}
	return now
}

func (t *tails) put(runID string, now tail) {
	if _, there := t.newer[runID]; !there && (t.newer == nil || len(t.newer) >= remembered) {
		t.newer, t.old = map[string]tail{}, t.newer
	}
	t.newer[runID] = now
}

func (t *tails) set(runID string, now tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.put(runID, now)
}

// swap sets a tail unless somebody else did meanwhile.
func (t *tails) swap(runID string, was, now tail) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now != was && t.find(runID) == was {
		t.put(runID, now)
	}
}
