package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// openFiles opens a directory of journals.
func openFiles(_ context.Context, url string, create bool) (agentgraph.Store, func() error, error) {
	dir := strings.TrimPrefix(url, "file:")
	if strings.HasPrefix(dir, "//") {
		if !strings.HasPrefix(dir, "///") {
			return nil, nil, errors.New("open file store: the URL cannot be used: it is file:DIR or file:///DIR, and has no host")
		}
		dir = dir[2:] // after an empty host
	}
	if err := checkDir(dir); err != nil && !(create && errors.Is(err, fs.ErrNotExist)) {
		return nil, nil, fmt.Errorf("open file store: %w", err)
	}
	store, err := filestore.Open(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// checkDir says why a directory cannot be used, and where it was looked for.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		whole, _ := filepath.Abs(dir) // fails only where this directory is gone
		return fmt.Errorf("%w; nothing is at %s, and only runs and agentgraph import make a store", err, whole)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if _, err := os.Stat(dir + "/."); err != nil { // filestore would not say of which directory
		return fmt.Errorf("%s cannot be entered: %w", dir, err)
	}
	return nil
}
