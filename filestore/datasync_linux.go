package filestore

import (
	"os"
	"syscall"
)

// datasync syncs what was written and the size, but no times.
func datasync(f *os.File) error {
	return control(f, "fdatasync", syscall.Fdatasync)
}
