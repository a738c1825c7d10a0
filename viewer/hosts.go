package viewer

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// hosts are the names by which the pages may be asked for. A page elsewhere whose own
// name is made to mean this machine is of one origin with these pages, as a browser
// sees it, and could read them and send their forms. It cannot change the name that
// the browser asks for.
type hosts []string // in lower case, without ports

func hostsOf(names []string) hosts {
	list := make(hosts, len(names))
	for i, name := range names {
		list[i] = hostname(name)
	}
	return list
}

// admit says whether a request asks for one of the names. Without any, only one that
// came in on an address of this machine alone has to. What a proxy says of the name
// that it was asked for does not count: a script could say that, too.
func (list hosts) admit(r *http.Request) bool {
	if len(list) == 0 && !loopback(r) {
		return true
	}
	host := hostname(r.Host)
	if _, err := netip.ParseAddr(host); err == nil {
		return true // nobody can make it mean another address
	}
	if within(host, "localhost") || within(host, "*.localhost") {
		return true
	}
	for _, name := range list {
		if within(host, name) {
			return true
		}
	}
	return false
}

// within says whether a host is one that a name in a list means.
func within(host, name string) bool {
	if suffix, ok := strings.CutPrefix(name, "*"); ok && (suffix == "" || suffix[0] == '.') {
		return len(host) > len(suffix) && strings.HasSuffix(host, suffix)
	}
	return host != "" && host == name
}

// hostname is a host without its port, brackets and the dot at its end.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// loopback says whether a request came in on an address that only this machine
// reaches. Of a listener that has no such address, as a Unix socket, it says no.
func loopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && (at.Addr().Unmap().IsLoopback() || at.Addr().Unmap().IsUnspecified())
}
