// Fleet is a service that has letters reviewed by a fleet of workers, all in one
// program: a NATS server inside it, three worker processes, and a page over HTTP.
//
//	cd examples/fleet && go run .
//
// It prints what to try: hand in a letter, kill a worker in the middle, and see
// another one go on where it was. With -nats it joins a cluster instead, and the
// same program on several machines is one fleet.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
)

// settings are the flags.
type settings struct {
	addr, dir, urls string
	workers         int
	pace            time.Duration
	worker          bool
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8080", "the `address` of the service")
	flag.StringVar(&s.dir, "dir", "fleet-data", "the `directory` of the NATS server inside")
	flag.StringVar(&s.urls, "nats", "", "the `URLs` of NATS servers to use instead")
	flag.IntVar(&s.workers, "workers", 3, "how many worker processes")
	flag.DurationVar(&s.pace, "pace", 2*time.Second, "how long a reviewer reads a paragraph")
	flag.BoolVar(&s.worker, "worker", false, "be a worker until standard input ends")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
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
	if s.urls == "" {
		srv, err := natsfleet.Embedded(s.dir, func(o *server.Options) { o.DontListen = false })
		if err != nil {
			return err
		}
		defer srv.Close()
		s.urls = srv.URL()
	}
	f, nc, err := join(ctx, s)
	if err != nil {
		return err
	}
	defer nc.Close()
	crew := newCrew(s, out)
	defer crew.stop()
	if err := crew.start(ctx); err != nil {
		return err
	}
	return listen(ctx, s.addr, service(f, crew), func(url string) { fmt.Fprintf(out, welcome, url, crew.pids()) })
}

const welcome = `The fleet is up: %[1]s
Hand in a letter, and look at it:
    curl -d "$(printf 'Dear Bob,\n\nCOME NOW!\n\nTODO: sign')" %[1]s/letters/bob
    curl %[1]s/letters/bob
The workers are processes %[2]v. Kill the one that reads it, and look again:
    kill -9 PID
When it waits, say whether it goes out, here or in the pages at %[1]s/:
    curl -d true %[1]s/letters/bob/publish
`

// join makes the program a part of the fleet.
func join(ctx context.Context, s settings) (*natsfleet.Fleet, *nats.Conn, error) {
	nc, err := nats.Connect(s.urls, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return nil, nil, err
	}
	f, err := natsfleet.Open(ctx, nc, natsfleet.Options{
		Name:    "letters",
		Silence: 3 * time.Second, // so soon is a worker missed
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, nil)).With("process", os.Getpid()),
	})
	if err == nil {
		err = f.Register(review(s.pace))
	}
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return f, nc, nil
}

// work is a worker: it ends with the service that started it.
func work(ctx context.Context, s settings, _ io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	f, nc, err := join(ctx, s)
	if err != nil {
		return err
	}
	defer nc.Close()
	return f.Work(ctx, 4)
}
