package pgstore

import "sync"

// lives remembers which life of a run's journal this Store last knew: of at least
// `remembered` runs, those used last, and of at most twice as many. It fences an owner
// here whose journal another Store deleted and began anew, to the same length. The
// zero value is ready.
type lives struct {
	mu        sync.Mutex
	new, aged map[string]string
}

const remembered = 4096

// get is empty for a run that is not known.
func (l *lives) get(run string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.find(run)
}

func (l *lives) find(run string) string {
	if life, ok := l.new[run]; ok {
		return life
	}
	life, ok := l.aged[run]
	if ok {
		l.put(run, life)
	}
	return life
}

func (l *lives) put(run, life string) {
	if _, there := l.new[run]; !there && (l.new == nil || len(l.new) >= remembered) {
		l.new, l.aged = map[string]string{}, l.new
	}
	l.new[run] = life
}

func (l *lives) set(run, life string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(run, life)
}

// swap sets a life unless another call did meanwhile.
func (l *lives) swap(run, was, life string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.find(run) == was {
		l.put(run, life)
	}
}
