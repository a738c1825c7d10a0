package minutes

import (
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// The names of channels that stand for others.
const (
	everyone = "*"
	outside  = ".."
)

// Hearers returns the paths of the agents and seats of a roster that hear what is
// posted to these channels, in the order of the roster.
func Hearers(roster []journal.Shape, to []string) []string {
	var paths []string
	members(roster, "", func(m member) {
		if m.Kind != "nested" && m.hears(to) {
			paths = append(paths, m.Name)
		}
	})
	return paths
}

// member is an entry of a roster, at any depth.
type member struct {
	journal.Shape
	own string // what the channels of its own graph begin with
}

// members visits all entries, each node before what is in it.
func members(shapes []journal.Shape, prefix string, visit func(member)) {
	for _, s := range shapes {
		visit(member{s, prefix + s.Scope})
		members(s.Entries, s.Name+"/", visit)
	}
}

func (m member) hears(to []string) bool {
	return slices.ContainsFunc(to, func(ch string) bool { return ch == everyone || slices.Contains(m.In, ch) })
}

// address gives the full names of the channels that it posts to.
func (m member) address(chosen []string) []string {
	if len(chosen) == 0 {
		return sorted(m.Out)
	}
	var to []string
	for _, ch := range chosen {
		if ch != outside {
			to = append(to, m.own+ch)
			continue
		}
		for _, out := range m.Out {
			if !strings.HasPrefix(out, m.own) {
				to = append(to, out)
			}
		}
	}
	return sorted(to)
}
