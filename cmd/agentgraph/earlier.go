package main

import "github.com/seed-a2b66b4f/agentgraph/internal/journal"

// earlier is an attempt before the last one: its outermost steps, and where each
// stands, by path.
type earlier struct {
	tree   []*journal.Node
	places map[string]int
}

// earlierOf returns the attempts before the last one, the newest first. It costs
// their size.
func earlierOf(h *journal.History) []earlier {
	var all []earlier
	for n := len(h.Attempts) - 2; n >= 0; n-- {
		e := earlier{h.Tree(n), map[string]int{}}
		for at, node := range e.tree {
			if node.Step != nil {
				e.places[node.Step.Path] = at
			}
		}
		all = append(all, e)
	}
	return all
}

// after is the step behind the one of this path, or, without that, the one at this
// place; nil if there is none.
func (e earlier) after(path string, at int) *journal.Step {
	if place, ok := e.places[path]; ok {
		at = place + 1
	}
	if at >= len(e.tree) {
		return nil
	}
	return e.tree[at].Step
}
