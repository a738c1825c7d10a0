package diagram

import (
	"bufio"
	"io"
)

// deepest is how far lines are indented: deep nesting must not cost its square.
const deepest = 20

// pen writes indented lines.
type pen struct {
	w     *bufio.Writer
	depth int
}

func newPen(w io.Writer) *pen { return &pen{w: bufio.NewWriter(w)} }

func (p *pen) line(s string) {
	for range min(p.depth, deepest) {
		p.w.WriteByte('\t') //nolint:errcheck // the writer keeps its error for close
	}
	p.w.WriteString(s)  //nolint:errcheck // as above
	p.w.WriteByte('\n') //nolint:errcheck // as above
}

// open writes the first line of a box, and the others inside it.
func (p *pen) open(lines []string) {
	p.line(lines[0])
	p.depth++
	for _, line := range lines[1:] {
		p.line(line)
	}
}

// close returns the first error of all that was written.
func (p *pen) close() error { return p.w.Flush() }
