//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package natsfleet

import (
	"os"
	"syscall"
)

// lock locks a file that no other server has locked. The lock goes when the file is
// closed, or the process ends.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
