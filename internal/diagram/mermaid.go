package diagram

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mermaid is the language of Mermaid flowcharts.
type mermaid struct{}

func (mermaid) start() string    { return "flowchart LR" }
func (mermaid) closeBox() string { return "end" }
func (mermaid) end() string      { return "" }

func (mermaid) vertex(id int, s Shape, label string) string {
	left, right := "[", "]"
	switch s {
	case Rounded:
		left, right = "([", "])"
	case Hexagon:
		left, right = "{{", "}}"
	}
	return fmt.Sprintf(`n%d%s"%s"%s`, id, left, mermaidText(Visible(label)), right)
}

func (mermaid) box(id int, label string) []string {
	return []string{fmt.Sprintf(`subgraph n%d ["%s"]`, id, mermaidText(Visible(label)))}
}

func (mermaid) arrow(from, to int, labels []string) string {
	if len(labels) == 0 {
		return fmt.Sprintf("n%d --> n%d", from, to)
	}
	return fmt.Sprintf(`n%d -->|"%s"| n%d`, from, mermaidText(VisibleList(labels)), to)
}

// mermaidText writes all but letters, digits and a few harmless marks of ASCII
// as entity codes, for much of it means something to Mermaid somewhere.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= utf8.RuneSelf, r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" -_.,/?!'", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
