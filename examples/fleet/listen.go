package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// listen serves until the context ends.
func listen(ctx context.Context, addr string, h http.Handler, ready func(url string)) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return base }}
	off := context.AfterFunc(ctx, func() {
		stop()
		_ = s.Shutdown(base)
	})
	defer off()
	ready("http://" + l.Addr().String())
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
