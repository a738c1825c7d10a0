package chaostest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const childVariable = "CHAOSTEST_CHILD"

// child is what a process is to be that a test starts: a server, or a worker.
type child struct {
	Server *member
	Worker *worker
}

// TestMain is a server or a worker instead of the tests in a process that is
// started as one. It ends with the process that started it.
func TestMain(tests *testing.M) {
	text := os.Getenv(childVariable)
	if text == "" {
		os.Exit(tests.Run())
	}
	var c child
	err := json.Unmarshal([]byte(text), &c)
	switch {
	case err != nil:
	case c.Server != nil:
		err = c.Server.run()
	default:
		err = c.Worker.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// orphaned ends with the process that started this one, or wants it to stop.
func orphaned() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	return ctx
}

// process is a child, which can be killed and started again.
type process struct {
	child child
	cmd   *exec.Cmd
	stdin io.Closer
}

// newProcess runs until the test ends.
func newProcess(tb testing.TB, c child) *process {
	tb.Helper()
	p := &process{child: c}
	require.NoError(tb, p.start())
	tb.Cleanup(func() { p.kill(nil) })
	return p
}

func (p *process) start() error {
	text, err := json.Marshal(p.child)
	if err != nil {
		return err
	}
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	return p.cmd.Start()
}

// kill ends it with SIGKILL.
func (p *process) kill(*rand.Rand) {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.stdin.Close()
}

// dozer is a worker that is held instead of killed, for so long that its runs are given
// to others, and then goes on with what it was at.
type dozer struct {
	*process
	long time.Duration
}

func (d dozer) kill(*rand.Rand) {
	_ = d.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(d.long)
}

func (d dozer) start() error { return d.cmd.Process.Signal(syscall.SIGCONT) }

// stop lets it end by itself.
func (p *process) stop() error {
	_ = p.stdin.Close()
	return p.cmd.Wait()
}

// exitCode waits for a process that ends by itself.
func (p *process) exitCode() int {
	_ = p.cmd.Wait()
	return p.cmd.ProcessState.ExitCode()
}
