package main

import (
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
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
	known := "(known: " + strings.Join(forms(), ", ") + ")"
	if a.url == "" {
		return nil, nil, misuse(c, "no store was given: use --store or AGENTGRAPH_STORE %s", known)
	}
	if info, err := os.Stat(a.url); err == nil && info.IsDir() {
		known += "; that directory is file:" + a.url
	}
	name, rest, _ := strings.Cut(a.url, ":")
	if rest == "" || strings.ContainsAny(name, "=@/ ") {
		return nil, nil, misuse(c, "%s is no URL of a store %s", shownURL(a.url), known)
	}
	for _, s := range schemes() {
		if s.name == name {
			return s.open(c.Context(), a.url, create)
		}
	}
	return nil, nil, misuse(c, "no store of the kind %q is known %s", name, known)
}

// shownURL is what should be a URL, unless it is something that may have a password.
func shownURL(text string) string {
	if strings.ContainsAny(text, "=@") {
		return "what was given"
	}
	return strconv.Quote(text)
}
