package viewer

import (
	"slices"
	"sync"
)

// shelf keeps the runs whose pages were looked at last, as they were read. What is on
// it does not change any more. The zero shelf is empty.
type shelf struct {
	mu   sync.Mutex
	runs []*record // the last one looked at comes first
}

// room is how much the journals on the shelf may take together, where each record
// counts as so many bytes beside its data.
const (
	room    = 128 << 20
	besides = 1 << 10
)

func (s *shelf) get(id string) *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(id)
	if at < 0 {
		return nil
	}
	rec := s.runs[at]
	s.runs = slices.Insert(slices.Delete(s.runs, at, at+1), 0, rec)
	return rec
}

// put keeps a run, unless it is too long, and lets those go for which there is no more
// room.
func (s *shelf) put(rec *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(rec.id)
	if rec.size() > room {
		return
	}
	s.runs = slices.Insert(s.runs, 0, rec)
	taken := 0
	for i, r := range s.runs {
		if taken += r.size(); taken > room {
			s.runs = slices.Delete(s.runs, i, len(s.runs))
			return
		}
	}
}

// forget lets a run go.
func (s *shelf) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(id)
}

func (s *shelf) remove(id string) {
	if at := s.find(id); at >= 0 {
		s.runs = slices.Delete(s.runs, at, at+1)
	}
}

func (s *shelf) find(id string) int {
	return slices.IndexFunc(s.runs, func(r *record) bool { return r.id == id })
}
