package agentgraph

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// frame is a place in the tree of steps. A Resumable used as an agent has the same
// as the step that hosts it.
type frame struct {
	node     *StepNode // nil for a run
	path     string
	index    []int
	at       int64
	children []*StepNode
	seen     map[string]int // how many children have a name
}

// String is what errors call it.
func (f *frame) String() string {
	if f.path == "" {
		return "the run"
	}
	return fmt.Sprintf("step %q", f.path)
}

// next is the path that a child of a name gets.
func (f *frame) next(name string) string {
	path := journal.Escaped(name)
	if f.path != "" {
		path = f.path + "/" + path
	}
	if n := f.seen[name]; n > 0 {
		path += "#" + strconv.Itoa(n)
	}
	return path
}

// add makes a child.
func (f *frame) add(name, agent, path string, at int64) *frame {
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	f.seen[name]++
	index := append(append(make([]int, 0, len(f.index)+1), f.index...), len(f.children))
	node := &StepNode{StepName: name, Index: index, Status: StatusStarted, Agent: agent}
	f.children = append(f.children, node)
	return &frame{node: node, path: path, index: slices.Clone(index), at: at}
}
