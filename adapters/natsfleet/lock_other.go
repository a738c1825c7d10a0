//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package natsfleet

import "os"

// lock does nothing.
func lock(*os.File) error { return nil }
