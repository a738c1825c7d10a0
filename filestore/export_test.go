package filestore

import "os"

// Datasync is what an append does after its write.
func Datasync(f *os.File) error { return datasync(f) }
