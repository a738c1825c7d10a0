// Command agentgraph tells what runs of agentgraph have done: what a store holds,
// what became of each step and why, what was said in a meeting, and what would
// happen if a run were run again. It answers what runs wait for, moves runs between
// stores and looks after damaged ones.
//
// A store is given as a URL, such as file:DIR, by --store or AGENTGRAPH_STORE.
//
// The exit code is 0, or 1 after an error, or 2 where the command was called wrongly.
// Damage is an error to doctor and to what reads the damaged run itself, such as show;
// runs lists such a run among the others and gives 0, unless the run's ID is lost too.
// Errors go to standard error.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"
)

func main() { os.Exit(start()) }

// start runs the command in the process's own surroundings.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{
		in:     os.Stdin,
		out:    bufio.NewWriter(os.Stdout),
		err:    os.Stderr,
		getenv: os.Getenv,
		colour: isatty.IsTerminal(os.Stdout.Fd()) && colourful(os.Getenv),
		live:   isatty.IsTerminal(os.Stderr.Fd()),
	}
	return a.run(ctx, os.Args[1:])
}

// colourful says whether the user, and the terminal, want colours.
func colourful(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// app is one call of the command, and all that it touches of the outside.
type app struct {
	in     io.Reader
	out    *bufio.Writer
	err    io.Writer
	getenv func(string) string
	colour bool // standard output is for eyes
	live   bool // standard error is

	url string // of the store
}

// run returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if flushed := a.out.Flush(); err == nil {
		err = flushed
	}
	if err == nil {
		return 0
	}
	if !errors.Is(err, errTold) {
		a.complain(err)
	}
	var misuse *usageError
	if errors.As(err, &misuse) {
		_, _ = fmt.Fprintf(a.err, "see %s --help\n", misuse.command)
		return 2
	}
	return 1
}

// complain writes an error; nobody can be told when that is not possible.
func (a *app) complain(err error) { _, _ = fmt.Fprintln(a.err, "agentgraph: "+plain(err)) }

// usageError: the command was called wrongly.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// errTold: what is wrong has been said already.
var errTold = errors.New("what is wrong has been said")
