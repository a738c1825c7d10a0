package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// asProgram makes the test binary the program, for tests that end it early.
const asProgram = "CODEREVIEW_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A review that is killed again and again, whenever a few more turns are recorded, ends with
// the report of one that nobody disturbed.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-run", "friday", "-dir", dir, "-log", "-mermaid", "-sequence", "testdata/...", "testdata/broken.go.txt"}
	var want, none strings.Builder
	if code := run(args[4:], &want, &none); code != 0 {
		t.Fatal(none.String())
	}

	first := start(t, append([]string{"-slow", "1h"}, args...)...) // which never ends
	first.kill(t, dir, 2)
	if first.code() != -1 || first.out.String() != "" {
		t.Fatalf("exit code %d, out %q, err %q", first.code(), first.out.String(), first.errs.String())
	}

	last := first
	for last.code() == -1 {
		last = start(t, append([]string{"-slow", "20ms"}, args...)...)
		last.kill(t, dir, recorded(t, dir)+5)
	}
	if last.code() != 0 || last.out.String() != want.String() {
		t.Errorf("exit code %d, err %q, got\n%s\nwant\n%s", last.code(), last.errs.String(), last.out.String(), want.String())
	}

	var out, errs strings.Builder
	code := run(args, &out, &errs)
	if code != 0 || out.String() != want.String() || errs.String() != "codereview: all turns skipped, 0 taken\n" {
		t.Errorf("exit code %d, err %q, got\n%s", code, errs.String(), out.String())
	}
}

// Each turn of the whole is either skipped or taken.
func TestResumed(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-run", "friday", "-dir", dir, "testdata/shop"}
	start(t, append([]string{"-slow", "1h"}, args...)...).kill(t, dir, 2)
	var out, errs strings.Builder
	if code := run(args, &out, &errs); code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "testdata/resumed.golden", errs.String())
	golden(t, "testdata/shop.golden", out.String())
}

func TestDurableFails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		code int
		errs string // how it begins
	}{
		{"no directory", []string{"-run", "x", "."}, 2, "codereview: -run and -dir go together\n"},
		{"no run", []string{"-dir", dir, "."}, 2, "codereview: -run and -dir go together\n"},
		{"bad run", []string{"-run", "x\n", "-dir", dir, "."}, 1, "codereview: agentgraph: "},
		{"no such path", []string{"-run", "x", "-dir", dir, "testdata/nosuch"}, 1,
			"codereview: 0 turns skipped, 0 taken\ncodereview: testdata/nosuch: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs strings.Builder
			if code := run(c.args, &out, &errs); code != c.code || !strings.HasPrefix(errs.String(), c.errs) || out.String() != "" {
				t.Errorf("exit code %d, out %q, err %q", code, out.String(), errs.String())
			}
		})
	}
}

// program is the program in a process of its own.
type program struct {
	*exec.Cmd
	out, errs strings.Builder
	ended     chan struct{}
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: exec.CommandContext(t.Context(), self, args...), ended: make(chan struct{})}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = &p.out, &p.errs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait()
	}()
	t.Cleanup(func() { <-p.ended })
	return p
}

// kill ends the program at once when so many turns are recorded, unless it is over.
func (p *program) kill(t *testing.T, dir string, turns int) {
	t.Helper()
	p.await(t, dir, turns)
	_ = p.Process.Kill()
	<-p.ended
}

// code is the exit code; -1 for a program that was killed.
func (p *program) code() int { return p.ProcessState.ExitCode() }

// await waits until so many turns are recorded, or the program is over.
func (p *program) await(t *testing.T, dir string, turns int) {
	t.Helper()
	for recorded(t, dir) < turns {
		select {
		case <-p.ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// recorded counts the turns in the journal of the run.
func recorded(t *testing.T, dir string) int {
	t.Helper()
	store, err := filestore.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	n := 0
	for record, err := range store.Read(t.Context(), "friday", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if record.Kind == "turn" && !strings.Contains(string(record.Data), `"status"`) {
			n++
		}
	}
	return n
}
