// Codereview holds a meeting over Go source files and prints its report. The meeting
// is in package review; here is the command line.
//
//	go run ./examples/codereview [-tests] [-all] [-log] [-mermaid] [-sequence] PATH...
//	go run ./examples/codereview -run ID -dir DIR PATH...
//
// A reader splits the paths into directories. A team of reviewers looks at each,
// one for every kind of thing, behind a lead who hears and speaks for them. A
// merger joins what they found at one place, and an editor writes the report.
// The reviewers parse and type-check; they guess nothing, and what they cannot
// be sure of they do not report.
//
// With -run the meeting survives the program: kill it, give the same command
// again, and it goes on where it was.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options is what the command line asks for.
type options struct {
	request                review.Request
	log, mermaid, sequence bool
	runID, dir             string        // of a meeting that survives; empty for one in memory
	slow                   time.Duration // that a reviewer takes for each file
}

// interrupted is the exit code of a program that Ctrl-C has ended.
const interrupted = 130

// run is the program: it returns the exit code, 0 for a report, 1 for a review
// that failed, 2 for a command line that makes no sense, and 130 after Ctrl-C.
func run(args []string, out, errs io.Writer) int {
	o, err := parseArgs(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait
	return hold(ctx, o, out, errs)
}

// hold holds the review and returns the exit code.
func hold(ctx context.Context, o options, out, errs io.Writer) int {
	err := report(ctx, o, out, errs)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		say(errs, "interrupted"+o.hint())
		return interrupted
	}
	say(errs, cause(err))
	return 1
}

func say(errs io.Writer, what any) { _, _ = fmt.Fprintln(errs, "codereview:", what) }

// hint says how to go on.
func (o options) hint() string {
	if o.runID == "" {
		return ""
	}
	return "; the same command goes on from here"
}

func parseArgs(args []string, errs io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("codereview", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.BoolVar(&o.request.Tests, "tests", false, "review test files too")
	flags.BoolVar(&o.request.All, "all", false, "review vendor, testdata and generated files too")
	flags.BoolVar(&o.log, "log", false, "print the whole log, with who heard whom")
	flags.BoolVar(&o.mermaid, "mermaid", false, "print the graph of the meeting")
	flags.BoolVar(&o.sequence, "sequence", false, "print the sequence diagram of the meeting")
	flags.StringVar(&o.runID, "run", "", "keep the meeting under this `ID`, so that it can be interrupted; another review needs another")
	flags.StringVar(&o.dir, "dir", "", "the `directory` where meetings are kept")
	flags.DurationVar(&o.slow, "slow", 0, "let each reviewer take so long for a file, so that there is time to interrupt it")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(errs, "usage: codereview [flags] PATH...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return o, errors.New("no path")
	}
	if (o.runID == "") != (o.dir == "") {
		say(errs, "-run and -dir go together")
		flags.Usage()
		return o, errors.New("half a run")
	}
	o.request.Paths = flags.Args()
	return o, nil
}

// report holds the meeting and prints what was asked for.
func report(ctx context.Context, o options, out, errs io.Writer) error {
	roster, err := review.NewRoster(o.slow)
	if err != nil {
		return err
	}
	log, err := meet(ctx, o, roster, errs)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := show(&text, o, roster, log); err != nil {
		return err
	}
	_, err = text.WriteTo(out)
	return err
}

func show(w *bytes.Buffer, o options, roster *agentgraph.Roster[review.Body], log []review.Post) error {
	w.WriteString(review.Outcome(log).String())
	if o.log {
		w.WriteString("\n")
		writeLog(w, roster, log)
	}
	if o.mermaid {
		w.WriteString("\n")
		if err := drawGraph(w, roster); err != nil {
			return err
		}
	}
	if o.sequence {
		w.WriteString("\n")
		return drawSequence(w, log)
	}
	return nil
}

// cause leaves out which agent failed on which post, where one did: to who asks
// for a review only the file matters.
func cause(err error) error {
	if failed, ok := errors.AsType[*agentgraph.AgentError](err); ok {
		return failed.Err
	}
	return err
}
