// Codereview holds a meeting over Go source files and prints its report.
//
//	go run ./examples/codereview [-tests] [-all] [-log] [-mermaid] [-sequence] PATH...
//
// A reader splits the paths into directories. A team of reviewers looks at each,
// one for every kind of thing, behind a lead who hears and speaks for them. A
// merger joins what they found at one place, and an editor writes the report.
// The reviewers parse and type-check; they guess nothing, and what they cannot
// be sure of they do not report.
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
	"runtime"

	"github.com/seed-a2b66b4f/agentgraph"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// options is what the command line asks for.
type options struct {
	request                Request
	log, mermaid, sequence bool
}

// run is the program: it returns the exit code, 0 for a report, 1 for a review
// that failed and 2 for a command line that makes no sense.
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
	if err := review(ctx, o, out); err != nil {
		_, _ = fmt.Fprintln(errs, "codereview:", cause(err))
		return 1
	}
	return 0
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
	o.request.Paths = flags.Args()
	return o, nil
}

// review holds the meeting and prints what was asked for.
func review(ctx context.Context, o options, out io.Writer) error {
	roster, err := newRoster(reviewers(newStandard()))
	if err != nil {
		return err
	}
	log, err := roster.Run(ctx, ask(o.request))
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

// newRoster lets all cores review at once: the log is the same as one at a time.
// The turns need no limit, for the team's only loop ends with its last answer.
func newRoster(team []reviewer) (*agentgraph.Roster[Body], error) {
	roster, err := agentgraph.ToRoster(graph(), registry(team))
	if err != nil {
		return nil, err
	}
	return roster.With(agentgraph.Options{MaxTurns: -1, Parallel: runtime.GOMAXPROCS(0)}), nil
}

// ask is what the author says to begin the meeting.
func ask(r Request) []agentgraph.Post[Body] {
	return []agentgraph.Post[Body]{agentgraph.NewPost("author", []string{"request"}, Body{Request: &r})}
}

func show(w *bytes.Buffer, o options, roster *agentgraph.Roster[Body], log []agentgraph.Post[Body]) error {
	w.WriteString(report(log).String())
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

// report is the editor's: the last post of the meeting.
func report(log []agentgraph.Post[Body]) *Report {
	return log[len(log)-1].Body.Report
}

// cause leaves out which agent failed on which post, where one did: to who asks
// for a review only the file matters.
func cause(err error) error {
	if failed, ok := errors.AsType[*agentgraph.AgentError](err); ok {
		return failed.Err
	}
	return err
}
