package diagram

import (
	"fmt"
	"io"
	"strings"
)

// Sequence writes a Mermaid sequence diagram as it goes: first the participants,
// then what passes between them. Texts are shown as they are; see [Visible].
type Sequence struct {
	pen          *pen
	participants map[string]int
}

// NewSequence begins a diagram.
func NewSequence(w io.Writer) *Sequence {
	s := &Sequence{newPen(w), map[string]int{}}
	s.pen.line("sequenceDiagram")
	s.pen.depth = 1
	return s
}

// Participant adds a participant to the right, unless the name has one.
func (s *Sequence) Participant(name string) {
	if _, found := s.participants[name]; found {
		return
	}
	s.participants[name] = len(s.participants)
	s.pen.line(fmt.Sprintf("participant p%d as %s", s.participants[name], sequenceText(Visible(name))))
}

// Arrow draws an arrow from one participant to another.
func (s *Sequence) Arrow(from, to, text string) {
	s.pen.line(fmt.Sprintf("p%d->>p%d: %s", s.participants[from], s.participants[to], sequenceText(text)))
}

// Note draws a note at a participant.
func (s *Sequence) Note(at, text string) {
	s.pen.line(fmt.Sprintf("Note over p%d: %s", s.participants[at], sequenceText(text)))
}

// Close ends the diagram and returns the first error of all that was written.
func (s *Sequence) Close() error { return s.pen.close() }

// sequenceText is mermaidText where no quotes stand around it: nothing may be
// empty, and blanks at an end would be cut off.
func sequenceText(s string) string {
	if strings.TrimSpace(s) == "" {
		return "#32;"
	}
	return mermaidText(s)
}
