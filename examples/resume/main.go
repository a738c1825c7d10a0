// Resume reads the files of a folder, step by step, and prints what is in them.
//
//	go run ./examples/resume -dir STORE FOLDER
//
// Every step that ends well is kept in STORE. After an error, or when the program was
// killed, the same command goes on where it was: what was done is skipped, unless
// its file has changed. It prints what each attempt did, and at last the summary.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

func main() {
	dir := flag.String("dir", "", "the `directory` where runs are kept")
	flag.Parse()
	if *dir == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: resume -dir STORE FOLDER")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := resume(ctx, *dir, flag.Arg(0), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// resume runs the work. The folder's name is the run ID as well: to read a folder
// again is to go on with it.
func resume(ctx context.Context, dir, folder string, out io.Writer) (err error) {
	store, err := filestore.Open(dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	work := agentgraph.NewResumable("resume", readFolder, &agentgraph.ResumableOptions{Store: store})
	result, failed := work.Run(ctx, folder, map[string]any{"folder": folder})
	attempts, err := work.StepsRun(context.WithoutCancel(ctx), folder)
	if err != nil {
		return errors.Join(failed, err)
	}
	printAttempts(out, attempts)
	if failed != nil {
		return failed
	}
	return printSummary(out, result.Artifacts["summary"])
}
