package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsfleet"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
	"github.com/seed-a2b66b4f/agentgraph/viewer"
)

// service is what the fleet does over HTTP: reviews are handed in and looked at under
// their run IDs, and the pages of the viewer are at the root.
type service struct {
	fleet *natsfleet.Fleet
	files fs.FS // that it can be asked to review
}

func (s service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reviews/{id}", s.submit)
	mux.HandleFunc("GET /reviews/{id}", s.look)
	mux.HandleFunc("GET /reviews/{id}/report", s.report)
	mux.Handle("/", viewer.New(s.fleet.Store(), &viewer.Options{Title: "Code review"}))
	return http.NewCrossOriginProtection().Handler(mux)
}

// submit hands in the review of a request: a [review.Request] as JSON. An ID that was
// handed in before stays the review that it was, and the answer says so; it is handed in
// all the same, for what was handed in before may be half done. Of two that hand in a
// new ID at the same time both may be told that it is new.
func (s service) submit(w http.ResponseWriter, r *http.Request) {
	request, err := s.received(w, r)
	if err != nil {
		fail(w, err, http.StatusBadRequest)
		return
	}
	id := r.PathValue("id")
	known, err := s.known(r.Context(), id)
	if err == nil {
		err = s.fleet.Submit(r.Context(), flowName, id, map[string]any{"request": request})
	}
	switch {
	case err != nil:
		fail(w, err, http.StatusInternalServerError)
	case known:
		fmt.Fprintf(w, "%q was handed in before, and stays the review that it was\n", id)
	default:
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "handed in as %q\n", id)
	}
}

// known says whether a review was handed in before.
func (s service) known(ctx context.Context, id string) (bool, error) {
	_, err := s.fleet.Status(ctx, id)
	if errors.Is(err, agentgraph.ErrNoRun) {
		return false, nil
	}
	return err == nil, err
}

// received reads a request. Its sources are read here and go along, for a worker on
// another machine has no such files.
func (s service) received(w http.ResponseWriter, r *http.Request) (request review.Request, err error) {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&request); err != nil {
		return request, fmt.Errorf("request: %w", err)
	}
	if len(request.Sources) > 0 {
		return request, nil
	}
	for i, p := range request.Paths {
		if !filepath.IsLocal(p) {
			return request, fmt.Errorf("%q is not a path below the directory of the service", p)
		}
		request.Paths[i] = path.Clean(p)
	}
	request.Sources, err = review.Sources(r.Context(), s.files, request)
	return request, err
}

// maxBody is about what a message of NATS takes.
const maxBody = 1 << 20

// look tells where a review stands.
func (s service) look(w http.ResponseWriter, r *http.Request) {
	now, err := s.standing(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(now)
}

// standing is where a review stands.
type standing struct {
	natsfleet.Status
	Turns string `json:"turns,omitempty"` // of the last attempt
}

func (s service) standing(ctx context.Context, id string) (now standing, err error) {
	if now.Status, err = s.fleet.Status(ctx, id); err != nil {
		return now, err
	}
	attempts, err := agentgraph.Attempts(ctx, s.fleet.Store(), id)
	if len(attempts) > 0 {
		now.Turns = review.Tally(attempts[len(attempts)-1].Steps)
	}
	return now, err
}

// report waits until there is one.
func (s service) report(w http.ResponseWriter, r *http.Request) {
	result, err := s.fleet.Wait(r.Context(), r.PathValue("id"))
	if err != nil {
		fail(w, err, http.StatusInternalServerError)
		return
	}
	var report review.Report
	if err := json.Unmarshal(result.Artifacts["report"], &report); err != nil {
		fail(w, err, http.StatusInternalServerError)
		return
	}
	fmt.Fprint(w, report.String())
}

// fail answers with an error, and with a code if nothing says it better.
func fail(w http.ResponseWriter, err error, code int) {
	_, long := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, agentgraph.ErrNoRun):
		code = http.StatusNotFound
	case errors.Is(err, agentgraph.ErrBadRunID):
		code = http.StatusBadRequest
	case long, errors.Is(err, natsfleet.ErrTooLarge):
		code = http.StatusRequestEntityTooLarge
	}
	http.Error(w, err.Error(), code)
}
