// Package recent remembers something about the keys used last.
package recent

import "sync"

// Map holds the values of at least `remembered` keys, those used last, and of at most
// twice as many. What it says may be old. The zero Map is ready and safe for
// concurrent use.
type Map[V comparable] struct {
	mu         sync.Mutex
	newer, old map[string]V
}

const remembered = 4096

// Get returns the value of a key, or the zero value.
func (m *Map[V]) Get(key string) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(key)
}

// Set gives a key a value.
func (m *Map[V]) Set(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(key, v)
}

// Swap gives a key a value unless somebody else did meanwhile: unless it has another
// than it had.
func (m *Map[V]) Swap(key string, was, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v != was && m.find(key) == was {
		m.put(key, v)
	}
}

// Forget makes the map as if nothing had been set.
func (m *Map[V]) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newer, m.old = nil, nil
}

func (m *Map[V]) find(key string) V {
	if v, ok := m.newer[key]; ok {
		return v
	}
	v, ok := m.old[key]
	if ok {
		m.put(key, v)
	}
	return v
}

func (m *Map[V]) put(key string, v V) {
	if _, there := m.newer[key]; !there && (m.newer == nil || len(m.newer) >= remembered) {
		m.newer, m.old = map[string]V{}, m.newer
	}
	m.newer[key] = v
}
