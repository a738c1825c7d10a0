package filestore

import (
	"context"
	"sync"
)

// keyLock is a lock for each key. The zero value is ready.
type keyLock struct {
	mu    sync.Mutex
	locks map[string]*waited
}

type waited struct {
	free  chan struct{} // holds one token while nobody has the lock
	users int           // who have it or wait for it
}

// lock waits for the key's lock, or for the context.
func (l *keyLock) lock(ctx context.Context, key string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := l.join(key)
	select {
	case <-w.free:
		return func() {
			w.free <- struct{}{}
			l.leave(key, w)
		}, nil
	case <-ctx.Done():
		l.leave(key, w)
		return nil, ctx.Err()
	}
}

func (l *keyLock) join(key string) *waited {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.locks[key]
	if w == nil {
		w = &waited{free: make(chan struct{}, 1)}
		w.free <- struct{}{}
		if l.locks == nil {
			l.locks = map[string]*waited{}
		}
		l.locks[key] = w
	}
	w.users++
	return w
}

func (l *keyLock) leave(key string, w *waited) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(l.locks, key)
	}
}
