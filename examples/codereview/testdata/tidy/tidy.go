// Package tidy has nothing to find.
package tidy

import "os"

// Remove removes a file.
func Remove(name string) error { return os.Remove(name) }
