package filestore

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

var errFault = errors.New("fault")

// memDisk is a directory in memory in which things can go wrong, and which can
// lose what was not synced.
type memDisk struct {
	mu       sync.Mutex
	files    map[string]*memData
	durable  map[string]*memData // as of the last sync of the directory
	ops      int                 // that could have failed
	failFrom int                 // the first that fails, from 1; 0: none
	failTo   int                 // the last that fails
	short    bool                // a failing write writes a half
	failed   []string
	opens    int // so far
	held     int // files open
	reads    int
}

type memData struct {
	data, durable []byte
	locked        bool
}

func newMemDisk() *memDisk {
	return &memDisk{files: map[string]*memData{}, durable: map[string]*memData{}}
}

func (d *memDisk) fault(op string) error {
	d.ops++
	if d.failFrom == 0 || d.ops < d.failFrom || d.ops > d.failTo {
		return nil
	}
	d.failed = append(d.failed, op)
	return errFault
}

// crash keeps what was synced alone, and a part of what was written after that: what
// was cut off and not synced is there again, beneath what was written over it.
func (d *memDisk) crash(part func(tail []byte) []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.files = map[string]*memData{}
	for name, f := range d.durable {
		same := 0
		for same < min(len(f.data), len(f.durable)) && f.data[same] == f.durable[same] {
			same++
		}
		kept := append(bytes.Clone(f.data[:same]), part(bytes.Clone(f.data[same:]))...)
		if len(kept) < len(f.durable) {
			kept = append(kept, f.durable[len(kept):]...)
		}
		d.files[name] = &memData{data: kept, durable: bytes.Clone(kept)}
	}
	d.failFrom = 0
}

func (d *memDisk) put(name string, data []byte) {
	d.files[name] = &memData{data: data, durable: bytes.Clone(data)}
	d.durable[name] = d.files[name]
}

func (d *memDisk) open(name string, flag int) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil {
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
		if err := d.fault("create"); err != nil {
			return nil, err
		}
		f = &memData{}
		d.files[name] = f
	}
	d.opens++
	d.held++
	journal := strings.HasSuffix(name, ending)
	return &memFile{disk: d, memData: f, journal: journal, write: flag&os.O_RDWR != 0}, nil
}

func (d *memDisk) holds(name string, f file) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] == f.(*memFile).memData, nil
}

func (d *memDisk) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		return fs.ErrNotExist
	}
	if err := d.fault("remove"); err != nil {
		return err
	}
	delete(d.files, name)
	return nil
}

func (d *memDisk) names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (d *memDisk) sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault("sync directory"); err != nil {
		return err
	}
	d.durable = map[string]*memData{}
	for name, f := range d.files {
		d.durable[name] = f
	}
	return nil
}

func (d *memDisk) close() error { return nil }

type memFile struct {
	*memData
	disk    *memDisk
	journal bool
	write   bool
	mine    bool // it has the lock
	closed  bool
}

// usable is for calls of a file that must not be closed.
func (f *memFile) usable() error {
	if f.closed {
		return fs.ErrClosed
	}
	return nil
}

func (f *memFile) ReadAt(p []byte, offset int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return 0, err
	}
	f.disk.reads++
	n := copy(p, f.data[min(offset, int64(len(f.data))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, offset int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return 0, err
	}
	if !f.write || f.journal && !f.mine || offset < int64(len(f.data)) {
		return 0, errors.New("written without lock, or over what is there")
	}
	err := f.disk.fault("write")
	if err != nil {
		p = p[:len(p)/2]
		if !f.disk.short {
			p = nil
		}
	}
	f.data = append(f.data[:offset:offset], p...)
	return len(p), err
}

func (f *memFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	if err := f.disk.fault("truncate"); err != nil {
		return err
	}
	f.data = f.data[:size:size]
	return nil
}

func (f *memFile) sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	if err := f.disk.fault("sync"); err != nil {
		return err
	}
	f.durable = bytes.Clone(f.data)
	return nil
}

func (f *memFile) tryLock() (bool, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return false, err
	}
	if f.locked && !f.mine {
		return false, nil
	}
	f.locked, f.mine = true, true
	return true, nil
}

func (f *memFile) unlock() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.free()
	return f.usable()
}

func (f *memFile) free() {
	if f.mine {
		f.locked, f.mine = false, false
	}
}

func (f *memFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	f.free()
	f.closed = true
	f.disk.held--
	return nil
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return memInfo(len(f.data)), f.usable()
}

type memInfo int64

func (i memInfo) Name() string     { return "" }
func (i memInfo) Size() int64      { return int64(i) }
func (memInfo) Mode() fs.FileMode  { return 0o600 }
func (memInfo) ModTime() time.Time { return time.Time{} }
func (memInfo) IsDir() bool        { return false }
func (memInfo) Sys() any           { return nil }
