//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filestore

import (
	"errors"
	"os"
	"syscall"
)

const (
	flocks      = true // other processes are kept out
	dirsSync    = true // a directory can be synced
	readersSync = true // a file opened to be read can be synced
	mostIdle    = 32   // files that a Store keeps open
)

// tryLock locks the file unless another has it open and locked, in this process or
// another. The lock goes when the file is closed, or the process ends.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	return control(f, "flock", func(fd int) error { return syscall.Flock(fd, how) })
}

// control makes a system call on a file, again as long as it is interrupted.
func control(f *os.File, op string, call func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for {
			if failed = call(int(fd)); !errors.Is(failed, syscall.EINTR) {
				return
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return &os.PathError{Op: op, Path: f.Name(), Err: err}
	}
	return nil
}
