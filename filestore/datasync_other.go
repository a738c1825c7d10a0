//go:build !linux

package filestore

import "os"

func datasync(f *os.File) error { return f.Sync() }
