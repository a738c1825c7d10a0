package diagram

import (
	"fmt"
	"strings"
)

// dot is the language of Graphviz.
type dot struct{}

func (dot) start() string    { return "digraph {" }
func (dot) closeBox() string { return "}" }
func (dot) end() string      { return "}" }

func (dot) vertex(id int, s Shape, label string) string {
	look := "shape=box"
	switch s {
	case Rounded:
		look = `shape=box, style="rounded,dashed"`
	case Hexagon:
		look = "shape=hexagon, height=0.3"
	}
	return fmt.Sprintf("n%d [label=%s, %s];", id, dotString(Visible(label)), look)
}

func (dot) box(id int, label string) []string {
	return []string{
		fmt.Sprintf("subgraph cluster_n%d {", id),
		fmt.Sprintf("label=%s;", dotString(Visible(label))),
	}
}

func (dot) arrow(from, to int, labels []string) string {
	if len(labels) == 0 {
		return fmt.Sprintf("n%d -> n%d;", from, to)
	}
	return fmt.Sprintf("n%d -> n%d [label=%s];", from, to, dotString(VisibleList(labels)))
}

// dotString quotes a text of visible characters. Graphviz reads backslashes and
// character entities in labels.
func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(s) + `"`
}
