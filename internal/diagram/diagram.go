// Package diagram writes pictures as text: figures and arrows in the languages
// of Graphviz and Mermaid, and Mermaid sequence diagrams. It knows texts alone;
// every label is escaped, whatever stands in it, and one diagram gives one text.
package diagram

import "io"

// Diagram is a tree of figures, and arrows between them. The zero Diagram is
// empty.
type Diagram struct {
	Arrows  []Arrow
	figures []figure
}

// Arrow joins two figures. Without labels it is plain.
type Arrow struct {
	From, To int32
	Labels   []string
}

// Shape tells figures apart.
type Shape int

// The shapes of figures. A Box stands around other figures.
const (
	Plain Shape = iota
	Rounded
	Hexagon
	Box
)

// Nowhere is the box of figures that stand in none.
const Nowhere = -1

type figure struct {
	shape  Shape
	label  string
	box    int32   // the figure around it, or Nowhere
	inside []int32 // of a box
}

// Add adds a figure inside a box, or Nowhere, and returns its number. Figures
// are written in the order in which they were added to their box.
func (d *Diagram) Add(s Shape, label string, box int32) int32 {
	at := int32(len(d.figures))
	d.figures = append(d.figures, figure{shape: s, label: label, box: box})
	if box != Nowhere {
		b := &d.figures[box]
		b.inside = append(b.inside, at)
	}
	return at
}

// Join adds an arrow.
func (d *Diagram) Join(from, to int32, labels ...string) {
	d.Arrows = append(d.Arrows, Arrow{from, to, labels})
}

// Around returns the innermost box around all the figures, of which there is at
// least one, or Nowhere.
func (d *Diagram) Around(figures ...int32) int32 {
	box := d.figures[figures[0]].box
	for _, f := range figures[1:] {
		box = d.common(box, d.figures[f].box)
	}
	return box
}

// common returns the innermost box around two boxes. A box has a higher number
// than the one around it.
func (d *Diagram) common(a, b int32) int32 {
	for a != b {
		if a < b {
			a, b = b, a
		}
		a = d.figures[a].box
	}
	return a
}

// DOT writes the diagram in the language of Graphviz, in O(n log n).
func (d *Diagram) DOT(w io.Writer) error { return d.write(w, dot{}) }

// Mermaid writes the diagram as a Mermaid flowchart, in O(n log n).
func (d *Diagram) Mermaid(w io.Writer) error { return d.write(w, mermaid{}) }
