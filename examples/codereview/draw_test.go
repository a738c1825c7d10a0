package main

import (
	"strings"
	"testing"
)

func TestDrawings(t *testing.T) {
	for _, flag := range []string{"-mermaid", "-sequence"} {
		t.Run(flag, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run([]string{flag, "testdata/tidy"}, &out, &errs); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			golden(t, "testdata/"+flag[1:]+".golden", out.String())
		})
	}
}
