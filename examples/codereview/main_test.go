package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestRun(t *testing.T) {
	for _, c := range []struct {
		golden string
		args   []string
	}{
		{"report", []string{"testdata/...", "testdata/broken.go.txt"}},
		{"all", []string{"-all", "-tests", "testdata/shop"}},
		{"log", []string{"-log", "testdata/tidy", "testdata/broken.go.txt"}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run(c.args, &out, &errs); code != 0 || errs.String() != "" {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			golden(t, "testdata/"+c.golden+".golden", out.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRunFails(t *testing.T) {
	usage := "usage: codereview [flags] PATH...\n"
	for _, c := range []struct {
		name string
		args []string
		code int
		errs string // how it begins
	}{
		{"no path", nil, 2, usage},
		{"unknown flag", []string{"-x", "."}, 2, "flag provided but not defined: -x\n" + usage},
		{"help", []string{"-h"}, 0, usage},
		{"no such path", []string{"testdata/nosuch"}, 1, "codereview: testdata/nosuch: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run(c.args, &out, &errs); code != c.code || !strings.HasPrefix(errs.String(), c.errs) || out.String() != "" {
				t.Errorf("exit code %d, out %q, err %q", code, out.String(), errs.String())
			}
		})
	}
}

// The reviewers find nothing in their own source.
func TestRunOnItself(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"-tests", "."}, &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "in 2 directories: nothing found\n") {
		t.Error(out.String())
	}
}
