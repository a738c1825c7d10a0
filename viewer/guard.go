package viewer

import (
	"fmt"
	"net/http"
)

// policy lets a page use what this handler serves, and nothing else: no script or
// style that stands in a page, no frame, no form to elsewhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guarded adds what tells a browser to be strict, and refuses hosts that are not
// known. Forms need their origin, so that the referrer policy is not stricter still.
func guarded(next http.Handler, known hosts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !known.admit(r) {
			http.Error(w, fmt.Sprintf("There are no pages for the host %q here. To have them, put its name into viewer.Options.Hosts, or start with: agentgraph serve --host NAME", r.Host), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
