package viewer

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
)

//go:embed pages/*.html
var pageFiles embed.FS

// parsed are the templates of all pages.
func parsed() *template.Template {
	funcs := template.FuncMap{
		"name": diagram.Visible, "text": marked, "link": link, "clock": clock, "stamp": stamp, "span": span, "size": size, "escaped": url.QueryEscape,
	}
	return template.Must(template.New("").Funcs(funcs).ParseFS(pageFiles, "pages/*.html"))
}

// frame is what every page has around it.
type frame struct {
	Title   string // of the site
	Heading string // of the page
	Tab     string
	Follow  string // where its events are; empty for none
	Data    any
}

// show writes a page, or nothing of it if it cannot be made.
func (v *viewer) show(w http.ResponseWriter, status int, page string, f frame) error {
	f.Title = v.title
	var buf bytes.Buffer
	if err := v.pages.ExecuteTemplate(&buf, page, f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // whoever asked may be gone
	return nil
}

// fault is an error that a visitor caused, or should see as more than an error.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

func missing(format string, args ...any) error {
	return &fault{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) error {
	return &fault{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// page makes a handler of a function that can fail before it writes anything.
func (v *viewer) page(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := error(nil)
		if v.store == nil {
			err = agentgraph.ErrNoStore
		} else {
			err = serve(w, r)
		}
		if err == nil || r.Context().Err() != nil {
			return
		}
		status := statusOf(err)
		if v.show(w, status, "error.html", frame{Heading: http.StatusText(status), Data: err.Error()}) != nil {
			http.Error(w, err.Error(), status)
		}
	}
}

func statusOf(err error) int {
	var f *fault
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.Is(err, agentgraph.ErrBadRunID):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// link is a page with parameters, of which those that are empty are left out.
func link(page string, params ...any) string {
	query := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		if value := fmt.Sprint(params[i+1]); value != "" {
			query.Set(fmt.Sprint(params[i]), value)
		}
	}
	if len(query) == 0 {
		return page
	}
	return page + "?" + query.Encode()
}

// number is a parameter that counts from 1; what is none is the fallback.
func number(r *http.Request, name string, fallback int) int {
	n, err := strconv.Atoi(r.FormValue(name))
	if err != nil || n < 1 {
		return fallback
	}
	return n
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// span is a length as people say it, of three figures at most.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return ""
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return short(float64(d)/float64(time.Millisecond)) + " ms"
	case d < time.Minute:
		return short(d.Seconds()) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d m %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d m", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

func short(f float64) string {
	if f < 10 {
		return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return short(float64(n)/1e3) + " kB"
	}
	return short(float64(n)/1e6) + " MB"
}
