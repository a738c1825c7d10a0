package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/viewer"
)

// service is what the fleet does over HTTP. The pages of the viewer are at the root;
// an answer that is given there goes to the fleet as well.
func service(f *natsfleet.Fleet, c *crew) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /letters/{id}", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 100_000))
		if err == nil {
			err = f.Submit(r.Context(), "review", r.PathValue("id"), map[string]any{"letter": string(text)})
		}
		answer(w, http.StatusAccepted, r.PathValue("id")+" is handed in", err)
	})
	mux.HandleFunc("GET /letters/{id}", func(w http.ResponseWriter, r *http.Request) {
		l, err := look(r.Context(), f, r.PathValue("id"))
		answer(w, http.StatusOK, l, err)
	})
	mux.HandleFunc("POST /letters/{id}/publish", func(w http.ResponseWriter, r *http.Request) {
		var yes bool
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 100)).Decode(&yes)
		if err == nil {
			err = f.Answer(r.Context(), r.PathValue("id"), "publish", yes)
		}
		answer(w, http.StatusAccepted, "thank you", err)
	})
	mux.HandleFunc("GET /workers", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, c.pids(), nil) })
	mux.Handle("/", viewer.New(f.Store(), &viewer.Options{Title: "Letters", Answer: true}))
	return mux
}

// letter is what is known of one.
type letter struct {
	Status  natsfleet.Status     `json:"status"`
	Outcome agentgraph.Artifacts `json:"outcome,omitempty"` // once it is over
	Steps   []string             `json:"steps,omitempty"`   // of the last attempt, with what became of them
}

func look(ctx context.Context, f *natsfleet.Fleet, id string) (l letter, err error) {
	if l.Status, err = f.Status(ctx, id); err != nil {
		return l, err
	}
	attempts, err := agentgraph.Attempts(ctx, f.Store(), id)
	if len(attempts) == 0 {
		return l, err
	}
	last := attempts[len(attempts)-1]
	l.Outcome = last.Artifacts
	for _, s := range last.Steps {
		l.Steps = append(l.Steps, fmt.Sprintf("%s: %s", s.StepName, s.Status))
	}
	return l, err
}

// answer writes a value as JSON, or an error.
func answer(w http.ResponseWriter, code int, value any, err error) {
	switch {
	case err == nil:
	case errors.Is(err, agentgraph.ErrNoRun):
		code, value = http.StatusNotFound, err.Error()
	case errors.Is(err, agentgraph.ErrNoQuestion):
		code, value = http.StatusConflict, err.Error()
	default:
		code, value = http.StatusBadRequest, err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(value)
}

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
