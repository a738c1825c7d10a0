package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// TestTablesOf: the two parameters go, and nothing else of a URL changes.
func TestTablesOf(t *testing.T) {
	for text, want := range map[string]struct {
		rest   string
		tables pgstore.Options
	}{
		"postgres://":                                    {"postgres://", pgstore.Options{}},
		"postgres://h/db?":                               {"postgres://h/db?", pgstore.Options{}},
		"postgres://h/db?prefix=a_":                      {"postgres://h/db", pgstore.Options{Prefix: "a_"}},
		"postgresql://h?schema=s":                        {"postgresql://h", pgstore.Options{Schema: "s"}},
		"postgres://h/db?x=%20+&schema=a+b%26&y=1&y=2":   {"postgres://h/db?x=%20+&y=1&y=2", pgstore.Options{Schema: "a+b&"}},
		"postgres://h/db?prefix=p&Schema=s&schemas=s&p=": {"postgres://h/db?Schema=s&schemas=s&p=", pgstore.Options{Prefix: "p"}},
		"postgres://h/schema=s&prefix=p":                 {"postgres://h/schema=s&prefix=p", pgstore.Options{}},
		"postgres://u:a?schema=s&b@h,i:1/?schema=t":      {"postgres://u:a?schema=s&b@h,i:1/", pgstore.Options{Schema: "t"}},
		"postgres://h/db?host=@a&schema=s":               {"postgres://h/db?host=@a", pgstore.Options{Schema: "s"}},
	} {
		rest, tables, err := tablesOf(text)
		require.NoError(t, err, text)
		require.Equal(t, want.rest, rest)
		require.Equal(t, want.tables, tables, text)
	}
}

func TestWrongTables(t *testing.T) {
	for query, want := range map[string]string{
		"schema=sekret&x=1&schema=sekret": "the URL cannot be used: schema is there twice",
		"prefix=":                         "the URL cannot be used: prefix is empty; without it, it is the default",
		"schema":                          "the URL cannot be used: schema is empty; without it, it is the default",
		"prefix=%zzsekret":                "the URL cannot be used: a % in prefix is to be %25",
		"schema=a%00":                     `the name of the schema "a\x00" is not valid`,
	} {
		code, out, told := call(t, "", false, "runs", "postgres://127.0.0.1:1/db?"+query)
		require.Equal(t, 1, code)
		require.Empty(t, out)
		require.Equal(t, "agentgraph: open PostgreSQL store: "+want+"\n", told)
	}
}
