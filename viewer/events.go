package viewer

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// breath is how often a page hears that its server is there, when nothing happens.
const breath = 15 * time.Second

// events tells a page that follows a run, or the list of runs, when there is
// something new, as long as it is open. It looks at the store now and then.
func (v *viewer) events(w http.ResponseWriter, r *http.Request) error {
	look := v.newRecords(r.FormValue("id"), r.FormValue("after"))
	if r.FormValue("id") == "" {
		look = v.newRuns(r.FormValue("after"))
	}
	news, err := look(r.Context())
	if err != nil {
		return err
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	send := func(text string) bool {
		_, err := fmt.Fprint(w, text)
		return err == nil && out.Flush() == nil // else whoever asked is gone
	}
	if send("retry: 1000\n\n" + event(news)) {
		v.follow(r.Context(), look, send)
	}
	return nil
}

// event is the text of one, or none for no news.
func event(news string) string {
	if news == "" {
		return ""
	}
	return "data: " + news + "\n\n"
}

// follow looks again and again until the context ends, or nobody listens.
func (v *viewer) follow(ctx context.Context, look func(context.Context) (string, error), send func(string) bool) {
	beat := time.NewTicker(v.beat)
	defer beat.Stop()
	silent := time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
		}
		text := ""
		if news, err := look(ctx); err == nil { // an error may pass
			text = event(news)
		}
		if silent += v.beat; text == "" && silent >= breath {
			text = ": here\n\n"
		}
		if text == "" {
			continue
		}
		silent = 0
		if !send(text) {
			return
		}
	}
}

// newRecords looks for records beyond those that the page knows.
func (v *viewer) newRecords(id, after string) func(context.Context) (string, error) {
	seq, _ := strconv.ParseUint(after, 10, 64) // else from the beginning
	return func(ctx context.Context) (string, error) {
		from := seq
		for r, err := range v.store.Read(ctx, id, seq) {
			if err != nil {
				return "", err
			}
			seq = r.Seq
		}
		if seq == from {
			return "", nil
		}
		return strconv.FormatUint(seq, 10), nil
	}
}

// newRuns looks for runs that have come, gone or gone on since the page was made.
func (v *viewer) newRuns(known string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		list, err := v.catalog.all(ctx)
		if err != nil {
			return "", err
		}
		now := list.print(v.now())
		if known == now {
			return "", nil
		}
		known = now
		return now, nil
	}
}
