package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// scheme is a kind of store. The function opens the one of a URL; where there is
// none it makes it, or fails, as create says.
type scheme struct {
	name string
	form string // empty for another name of the scheme before
	open func(ctx context.Context, url string, create bool) (store agentgraph.Store, done func() error, err error)
}

// schemes are the kinds that are linked, a line for each.
func schemes() []scheme {
	return []scheme{
		{"file", "file:DIR", openFiles},
		{"postgres", "postgres://HOST/DATABASE[?schema=NAME&prefix=NAME]", openPostgres},
		{"postgresql", "", openPostgres},
		{"nats", "nats://HOST[/STREAM]", openNATS},
	}
}

// forms are the forms of the URLs that are known.
func forms() []string {
	var all []string
	for _, s := range schemes() {
		if s.form != "" {
			all = append(all, s.form)
		}
	}
	return all
}

// open opens the store that the user named.
func (a *app) open(c *cobra.Command, create bool) (agentgraph.Store, func() error, error) {
	known := strings.Join(forms(), ", ")
	if a.url == "" {
		return nil, nil, misuse(c, "no store was given: use --store or AGENTGRAPH_STORE (known: %s)", known)
	}
	name, rest, ok := strings.Cut(a.url, ":")
	if !ok || rest == "" {
		return nil, nil, misuse(c, "%q is no URL of a store (known: %s)", a.url, known)
	}
	for _, s := range schemes() {
		if s.name == name {
			return s.open(c.Context(), a.url, create)
		}
	}
	return nil, nil, misuse(c, "no store of the kind %q is known (known: %s)", name, known)
}

// openFiles opens a directory of journals.
func openFiles(_ context.Context, url string, create bool) (agentgraph.Store, func() error, error) {
	dir := strings.TrimPrefix(url, "file:")
	if strings.HasPrefix(dir, "///") { // file:///DIR has an empty host
		dir = dir[2:]
	}
	if info, err := os.Stat(dir); err != nil && !create {
		return nil, nil, fmt.Errorf("open file store: %w", err)
	} else if err == nil && !info.IsDir() {
		return nil, nil, fmt.Errorf("open file store: %s is not a directory", dir)
	}
	store, err := filestore.Open(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}
