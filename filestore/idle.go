package filestore

import (
	"slices"
	"sync"
)

// idle holds open the journals that were appended to last, unlocked, so that the
// next append to one need not open it again. Whoever takes one out must look
// whether it still is the run's: while it lies here, anyone may append to it or
// delete it. One that another process deletes gives its space back when it is
// taken or makes room.
type idle struct {
	most int // that lie here

	mu       sync.Mutex
	journals []*journal // of different runs; the one used last stands last
}

// take takes the run's journal out; nil if it is not here.
func (i *idle) take(run string) *journal {
	i.mu.Lock()
	defer i.mu.Unlock()
	at := slices.IndexFunc(i.journals, func(j *journal) bool { return j.run == run })
	if at < 0 {
		return nil
	}
	j := i.journals[at]
	i.journals = slices.Delete(i.journals, at, at+1)
	return j
}

// put puts a journal in, and closes the one that it makes one too many.
func (i *idle) put(j *journal) {
	i.mu.Lock()
	i.journals = append(i.journals, j)
	var surplus *journal
	if len(i.journals) > i.most {
		surplus = i.journals[0]
		i.journals = slices.Delete(i.journals, 0, 1)
	}
	i.mu.Unlock()
	if surplus != nil {
		surplus.close()
	}
}

// close closes them all.
func (i *idle) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, j := range i.journals {
		j.close()
	}
	i.journals = nil
}
