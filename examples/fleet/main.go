// Fleet is code review as a service, all in one program: a NATS server inside it, three
// worker processes, and an HTTP endpoint with the pages of package viewer.
//
//	cd examples/fleet && go run .
//
// It prints what to try: hand in a review, kill the worker that is at it, and see
// another one go on where it was. The review is the one of examples/codereview. With
// -nats it joins a cluster instead, and the same program on several machines is one
// fleet.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// settings are the flags.
type settings struct {
	addr, root string
	dir, urls  string
	workers    int
	slow       time.Duration
	worker     bool
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8080", "the `address` of the service")
	flag.StringVar(&s.root, "root", "../..", "the `directory` below which it reads what it is to review")
	flag.StringVar(&s.dir, "dir", "fleet-data", "the `directory` of the NATS server inside")
	flag.StringVar(&s.urls, "nats", "", "the `URLs` of NATS servers to use instead")
	flag.IntVar(&s.workers, "workers", 3, "how many worker processes")
	flag.DurationVar(&s.slow, "slow", 500*time.Millisecond, "let each reviewer take so long for a file, so that there is time to kill its worker")
	flag.BoolVar(&s.worker, "worker", false, "be a worker until standard input ends")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do := serve
	if s.worker {
		do = work
	}
	if err := do(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is the service: it starts what is not there yet, and stops it again.
func serve(ctx context.Context, s settings, out io.Writer) error {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if s.urls == "" {
		srv, err := natsfleet.Embedded(s.dir, func(o *server.Options) { o.DontListen = false })
		if err != nil {
			return err
		}
		defer srv.Close()
		s.urls = srv.URL()
	}
	f, nc, err := join(ctx, s, out)
	if err != nil {
		return err
	}
	defer nc.Close()
	crew := newCrew(s, out)
	defer crew.stop()
	if err := crew.start(ctx); err != nil {
		return err
	}
	return listen(ctx, s.addr, service{f, root.FS()}.handler(), func(url string) { fmt.Fprintf(out, welcome, url, crew.pids()) })
}

const welcome = `The fleet is up: %[1]s
Let it review some Go code, and wait for the report:
    curl -d '{"paths": ["examples/codereview", "examples/codereview/testdata/shop"]}' %[1]s/reviews/friday
    curl %[1]s/reviews/friday/report
The workers are processes %[2]v; the log says where a run began. Kill that one, and see another one go on:
    kill -9 PID
    curl %[1]s/reviews/friday
The pages at %[1]s/ show it turn by turn. Another review wants another name.
`
