package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer"
)

func (a *app) serve() *cobra.Command {
	var addr, title string
	var hosts []string
	var answer bool
	c := &cobra.Command{
		Use:   "serve [STORE]",
		Short: "Show the runs of a store in a browser",
		Long: `Show the runs of a store in a browser, until interrupted. Whoever can reach the
address can read everything in the store, and with --answer also answer what runs
wait for. On an address of this machine alone, as it is without --addr, only
localhost and plain addresses work in the browser, so that no page elsewhere gets
there under a name of its own; --host adds names, and then holds on any address.`,
		Example: "  agentgraph serve file:runs",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.withPlace(func(c *cobra.Command, store agentgraph.Store, _ []string) error {
			l, err := new(net.ListenConfig).Listen(c.Context(), "tcp", addr)
			if err != nil {
				return err
			}
			a.print("http://%s\n", l.Addr())
			if err := a.out.Flush(); err != nil {
				return errors.Join(err, l.Close())
			}
			return serve(c.Context(), l, viewer.New(store, &viewer.Options{Title: title, Answer: answer, Hosts: hosts}))
		}),
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "listen on this `address`; port 0 takes any that is free")
	c.Flags().StringSliceVar(&hosts, "host", nil, "the `name` of a host that the pages may be asked for by; *.example.com for all below one, * for any; may be given again")
	c.Flags().StringVar(&title, "title", "", "the `title` of the pages")
	c.Flags().BoolVar(&answer, "answer", false, "let people answer what runs wait for")
	return c
}

// farewell is how long pages may take to finish after an interrupt.
const farewell = 3 * time.Second

// serve serves until the context ends, which ends live pages, too.
func serve(ctx context.Context, l net.Listener, pages http.Handler) error {
	s := &http.Server{
		Handler:           pages,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	err := s.Shutdown(late)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	if served := <-ended; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}
