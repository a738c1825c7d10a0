package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"agentgraph": main,
		"demo":       func() { os.Exit(demo(os.Args[1:])) },
	})
}

// TestScript runs the command as a process.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("AGENTGRAPH_STORE", "file:"+filepath.Join(env.WorkDir, "store"))
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each call takes a second more under the race detector
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"spoil": spoil},
	})
}

// spoil FILE LINE changes one byte of a line of a file, counted from 1.
func spoil(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := os.ReadFile(path)
	ts.Check(err)
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[n-1][len(lines[n-1])/2] ^= 1
	ts.Check(os.WriteFile(path, bytes.Join(lines, nil), 0o600))
}
