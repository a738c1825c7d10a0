// Package viewer shows the runs of a store as web pages: which there are and how
// they stand, the steps of each attempt with what they changed and why they ran,
// meetings turn by turn, and what waits for people.
//
// [New] makes an [http.Handler] that can stand in any service, also below a path:
//
//	http.Handle("/agents/", http.StripPrefix("/agents", viewer.New(store, nil)))
//
// The pages load nothing from elsewhere and run under a strict Content-Security-Policy.
// They show whatever is in the store to whoever can reach the handler, so put it
// behind the service's own login. Pages that are open follow a run by server-sent
// events; such a request lasts until the page is closed, or its context ends: a
// server that shuts down should end the one it gave by [http.Server.BaseContext].
package viewer

import (
	"crypto/rand"
	"html/template"
	"net/http"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Options say what the pages can do. The zero value shows everything and changes
// nothing.
type Options struct {
	Title string // at the top of each page; "agentgraph" if empty

	// Answer lets whoever can reach the pages answer the questions of steps and
	// speak for the seats of meetings. Without it there is no request that changes
	// anything; with it, only a POST from the pages themselves does.
	Answer bool

	// Hosts are the names that the pages may be asked for by, beside localhost, names
	// that end in .localhost, and plain addresses: "agents.example.com",
	// "*.example.com" for all names below one, "*" for any name. A request for another
	// is refused, whatever it is for.
	//
	// With none listed, that holds for requests that come in on a loopback address:
	// else a page elsewhere whose own name is made to mean that address (DNS
	// rebinding) could read the pages, and answer. So a service behind a proxy on the
	// same machine has to list the names that visitors use. A request that comes in
	// on another address, or on none, may then be for any name: list the names there
	// too, unless visitors have to log in.
	Hosts []string
}

// New returns a handler that shows the runs of a store. Nil options are the zero ones.
// It starts nothing that goes on between requests.
//
// It reads only what a page needs: a run's journal for that run, and for the list of
// runs what is new since it last looked. In a store that is too large or too slow for
// that, a look takes some 150 ms, beside what the store takes to name its runs, and a
// page says how many were read so far; one that is open goes on by itself. A run that
// had ended and is taken up again may then show after a few looks.
//
// The list says of a run what its own page says, also that its journal is damaged. Both
// keep what they have read, up to about 128 MB of journals for the pages, and notice a
// run that was deleted and begun anew; what a store loses of a journal that was read
// shows as soon as either meets it.
func New(store agentgraph.Store, o *Options) http.Handler {
	if o == nil {
		o = &Options{}
	}
	return newViewer(store, o).handler()
}

func newViewer(store agentgraph.Store, o *Options) *viewer {
	v := &viewer{
		store: store, title: o.Title, answers: o.Answer, hosts: hostsOf(o.Hosts),
		token: rand.Text(), origin: http.NewCrossOriginProtection(),
		pages: parsed(), now: time.Now, beat: 400 * time.Millisecond,
	}
	if v.title == "" {
		v.title = "agentgraph"
	}
	v.catalog = newCatalog(store, &v.shelf, func() time.Time { return v.now() })
	return v
}

// viewer is what the pages share.
type viewer struct {
	store   agentgraph.Store
	title   string
	answers bool
	hosts   hosts
	token   string // that each form bears
	origin  *http.CrossOriginProtection
	catalog *catalog
	shelf   shelf
	pages   *template.Template
	now     func() time.Time
	beat    time.Duration // between two looks at what is followed
}

func (v *viewer) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", v.page(v.runs))
	mux.HandleFunc("GET /run", v.page(v.run))
	mux.HandleFunc("GET /panel", v.page(v.panel))
	mux.HandleFunc("GET /meeting", v.page(v.meeting))
	mux.HandleFunc("GET /meeting.json", v.page(v.meetingData))
	mux.HandleFunc("GET /post", v.page(v.post))
	mux.HandleFunc("GET /value", v.page(v.value))
	mux.HandleFunc("GET /waiting", v.page(v.waiting))
	mux.HandleFunc("GET /question", v.page(v.question))
	mux.HandleFunc("GET /events", v.page(v.events))
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	if v.answers {
		mux.HandleFunc("POST /waiting", v.page(v.answer))
	}
	return guarded(mux, v.hosts)
}
