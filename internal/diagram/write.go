package diagram

import (
	"cmp"
	"io"
	"slices"
)

// dialect is a language of drawings. Identifiers are numbers, so that no label
// can break one; lines come without indentation and newline.
type dialect interface {
	start() string
	vertex(id int, s Shape, label string) string
	box(id int, label string) []string
	closeBox() string
	arrow(from, to int, labels []string) string
	end() string // empty for none
}

func (d *Diagram) write(w io.Writer, in dialect) error {
	p := newPen(w)
	p.line(in.start())
	p.depth = 1
	for _, a := range d.arrowsBetween(d.writeFigures(p, in)) {
		p.line(in.arrow(int(a.From), int(a.To), a.Labels))
	}
	p.depth = 0
	if line := in.end(); line != "" {
		p.line(line)
	}
	return p.close()
}

// arrowsBetween returns the arrows with identifiers as their ends, in order.
func (d *Diagram) arrowsBetween(ids []int32) []Arrow {
	arrows := slices.Clone(d.Arrows)
	for i := range arrows {
		a := &arrows[i]
		a.From, a.To = ids[a.From], ids[a.To]
	}
	slices.SortFunc(arrows, func(a, b Arrow) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return arrows
}

// closing stands for the end of a box on the list of figures to write.
const closing = -1

// writeFigures writes boxes around what they hold, and returns for each figure
// its place in the text, which is its identifier.
func (d *Diagram) writeFigures(p *pen, in dialect) []int32 {
	ids := make([]int32, len(d.figures))
	todo := d.outermost()
	for next := 0; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == closing {
			p.depth--
			p.line(in.closeBox())
			continue
		}
		f := d.figures[at]
		ids[at] = int32(next)
		if f.shape == Box {
			p.open(in.box(next, f.label))
			todo = append(todo, closing)
			for _, inner := range slices.Backward(f.inside) {
				todo = append(todo, inner)
			}
		} else {
			p.line(in.vertex(next, f.shape, f.label))
		}
		next++
	}
	return ids
}

// outermost returns the figures that stand in no box, the last one first.
func (d *Diagram) outermost() []int32 {
	var figures []int32
	for i := len(d.figures) - 1; i >= 0; i-- {
		if d.figures[i].box == Nowhere {
			figures = append(figures, int32(i))
		}
	}
	return figures
}
