//go:build unix

package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

// Ctrl-C ends the program with a message, and what was done is kept.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-run", "friday", "-dir", dir, "testdata/shop"}
	p := start(t, append([]string{"-slow", "1h"}, args...)...)
	p.await(t, dir, 2)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	if p.code() != 130 || p.out.String() != "" {
		t.Errorf("exit code %d, out %q", p.code(), p.out.String())
	}
	golden(t, "testdata/interrupted.golden", p.errs.String())

	var out, errs strings.Builder
	if code := run(args, &out, &errs); code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "testdata/resumed.golden", errs.String())
	golden(t, "testdata/shop.golden", out.String())
}

// A meeting in memory has nothing to go on from.
func TestInterruptedInMemory(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	code := hold(ctx, options{request: review.Request{Paths: []string{"testdata/shop"}}}, &out, &errs)
	if code != 130 || out.String() != "" || errs.String() != "codereview: interrupted\n" {
		t.Errorf("exit code %d, out %q, err %q", code, out.String(), errs.String())
	}
}
