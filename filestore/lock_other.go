//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filestore

import (
	"os"
	"runtime"
)

const (
	flocks      = false
	dirsSync    = runtime.GOOS != "windows"
	readersSync = runtime.GOOS != "windows"
	mostIdle    = 0 // an open file cannot be deleted on Windows, and nobody asks whether its name is still its own
)

// tryLock does nothing: within a process each run is locked by its ID.
func tryLock(*os.File) (bool, error) { return true, nil }

func unlock(*os.File) error { return nil }
