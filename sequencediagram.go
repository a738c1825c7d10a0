package agentgraph

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// shownBody is how many characters of a body a sequence diagram shows.
const shownBody = 40

// Sequence writes the log of a meeting as a Mermaid sequence diagram. Authors
// stand side by side in the order of their first appearance, and posts from top
// to bottom in the order of the log. Each post is a note at its author: its ID,
// the channels that it went to, and its body as fmt's %v has it, cut at 40
// characters. Before the note, an arrow for each post that it answers comes from
// the author of that one, labelled with the channels by which it came, or with
// its ID where it is not in the log.
//
// So the diagram shows causes, which a log records, and not everyone who heard a
// post, which it does not. It costs O(posts and threads). One log gives one text
// if its bodies print alike each time.
func Sequence[B any](w io.Writer, log []Post[B]) error {
	p := &pen{w: bufio.NewWriter(w)}
	p.line("sequenceDiagram")
	p.depth = 1
	authors := map[Name]int{}
	channels := make(map[PostID][]Channel, len(log))
	for _, post := range log {
		for _, cited := range post.Thread {
			p.participant(authors, cited.From)
		}
		p.participant(authors, post.From)
		channels[post.ID] = post.To
	}
	for _, post := range log {
		for _, cited := range post.Thread {
			label := visible(cited.String())
			if to, found := channels[cited]; found {
				label = visibleList(to)
			}
			p.line(fmt.Sprintf("p%d->>p%d: %s", authors[cited.From], authors[post.From], sequenceText(label)))
		}
		p.line(fmt.Sprintf("Note over p%d: %s", authors[post.From], sequenceText(noteOf(post))))
	}
	return p.close()
}

func (p *pen) participant(authors map[Name]int, name Name) {
	if _, found := authors[name]; found {
		return
	}
	authors[name] = len(authors)
	p.line(fmt.Sprintf("participant p%d as %s", authors[name], sequenceText(visible(name))))
}

func noteOf[B any](p Post[B]) string {
	note := visible(p.ID.String())
	if len(p.To) > 0 {
		note += " to " + visibleList(p.To)
	}
	return note + ": " + shortBody(p.Body)
}

// shortBody returns the start of a body on one line. Bytes are shown as text.
func shortBody(body any) string {
	var text string
	switch b := body.(type) {
	case []byte:
		text = string(b)
	case json.RawMessage:
		text = string(b)
	default:
		text = fmt.Sprintf("%v", body)
	}
	n := 0
	for i := range text {
		if n == shownBody {
			return visible(text[:i]) + "…"
		}
		n++
	}
	return visible(text)
}

// sequenceText is mermaidText where no quotes stand around it: nothing may be
// empty, and blanks at an end would be cut off.
func sequenceText(s string) string {
	if strings.TrimSpace(s) == "" {
		return "#32;"
	}
	return mermaidText(s)
}
