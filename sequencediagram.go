package agentgraph

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
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
	d := diagram.NewSequence(w)
	channels := make(map[PostID][]Channel, len(log))
	for _, post := range log {
		for _, cited := range post.Thread {
			d.Participant(cited.From)
		}
		d.Participant(post.From)
		channels[post.ID] = post.To
	}
	for _, post := range log {
		for _, cited := range post.Thread {
			label := diagram.Visible(cited.String())
			if to, found := channels[cited]; found {
				label = diagram.VisibleList(to)
			}
			d.Arrow(cited.From, post.From, label)
		}
		d.Note(post.From, noteOf(post))
	}
	return drawingError(d.Close())
}

func noteOf[B any](p Post[B]) string {
	note := diagram.Visible(p.ID.String())
	if len(p.To) > 0 {
		note += " to " + diagram.VisibleList(p.To)
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
			return diagram.Visible(text[:i]) + "…"
		}
		n++
	}
	return diagram.Visible(text)
}
