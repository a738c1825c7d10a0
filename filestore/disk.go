package filestore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
)

// file is what a journal needs of a file.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	sync() error            // what was written, and the size
	tryLock() (bool, error) // keeps all others out, in this process too
	unlock() error
}

// disk is what a store needs of its directory.
type disk interface {
	open(name string, flag int) (file, error)
	holds(name string, f file) (bool, error) // whether the file still stands under its name
	remove(name string) error
	names() ([]string, error)
	sync() error // the names of the files
	close() error
}

type osFile struct {
	*os.File
	opened fs.FileInfo // tells the file from others for as long as it is open
}

func (f osFile) sync() error            { return datasync(f.File) }
func (f osFile) tryLock() (bool, error) { return tryLock(f.File) }
func (f osFile) unlock() error          { return unlock(f.File) }

// osDisk is a directory that no name can leave.
type osDisk struct{ root *os.Root }

func (d osDisk) open(name string, flag int) (file, error) {
	f, err := d.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return osFile{f, info}, nil
}

func (d osDisk) remove(name string) error { return d.root.Remove(name) }
func (d osDisk) close() error             { return d.root.Close() }

func (d osDisk) holds(name string, f file) (bool, error) {
	if !flocks {
		return true, nil // there is no other process that could delete it
	}
	named, err := d.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(f.(osFile).opened, named), err
}

func (d osDisk) names() ([]string, error) {
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		_ = dir.Close()
		return nil, err
	}
	slices.Sort(names)
	return names, dir.Close()
}

func (d osDisk) sync() error {
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return syncDir(dir)
}

func syncPath(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir syncs a directory and closes it.
func syncDir(dir *os.File) error {
	if !dirsSync {
		return dir.Close()
	}
	if err := dir.Sync(); err != nil {
		_ = dir.Close()
		return err
	}
	return dir.Close()
}
