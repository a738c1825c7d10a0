package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// tablesOf takes the parameters schema and prefix out of a PostgreSQL URL. The rest
// stays as it is, byte for byte: it is for pgx, whose parameters the others are. No
// error shows a value, which may be part of a password.
func tablesOf(text string) (rest string, tables pgstore.Options, err error) {
	start := queryStart(text)
	if start < 0 {
		return text, tables, nil
	}
	var others []string
	for pair := range strings.SplitSeq(text[start+1:], "&") {
		name, value, _ := strings.Cut(pair, "=")
		var into *string
		switch name {
		case "schema":
			into = &tables.Schema
		case "prefix":
			into = &tables.Prefix
		default:
			others = append(others, pair)
			continue
		}
		if *into != "" {
			return "", tables, fmt.Errorf("%s is there twice", name)
		}
		*into, err = url.PathUnescape(value)
		if err != nil {
			return "", tables, fmt.Errorf("a %% in %s is to be %%25", name)
		}
		if *into == "" {
			return "", tables, fmt.Errorf("%s is empty; without it, it is the default", name)
		}
	}
	rest = text[:start]
	if len(others) > 0 {
		rest += "?" + strings.Join(others, "&")
	}
	return rest, tables, nil
}

// queryStart is where the ? of a URL is, or -1. One in the password is none: for pgx
// whatever is before an @ is that, up to the first slash.
func queryStart(text string) int {
	_, rest, _ := strings.Cut(text, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:]
	}
	i := strings.IndexByte(rest, '?')
	if i < 0 {
		return -1
	}
	return len(text) - len(rest) + i
}
