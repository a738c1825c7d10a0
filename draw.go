package agentgraph

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/exp/maps"

	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
	"github.com/seed-a2b66b4f/agentgraph/internal/expr"
)

// Drawable is what [DOT] and [Mermaid] draw: a [Graph] or a *[Roster].
//
// A graph is drawn by its edges, labelled with their channels. A roster is drawn
// by who hears whom: nested nodes are boxes around their members, seats outside
// are rounded, and where several post to a channel that several hear, the
// channel is a small node of its own, for n agents on one channel have n² edges
// but 2n ways to and from it. All other channels label a direct edge.
type Drawable interface {
	drawing() *diagram.Diagram
}

// DOT writes a drawing in the language of Graphviz. The order is that of names;
// one graph gives one text. It costs O(n log n) in what it draws. Every name is
// escaped, and characters that do not show, such as marks that turn the
// direction of writing, are drawn as \u escapes.
func DOT(w io.Writer, g Drawable) error {
	return drawingError(diagramOf(g).DOT(w))
}

// Mermaid writes the same drawing as a Mermaid flowchart. Mermaid refuses more
// than 500 edges or 50,000 characters unless maxEdges and maxTextSize say so.
func Mermaid(w io.Writer, g Drawable) error {
	return drawingError(diagramOf(g).Mermaid(w))
}

func diagramOf(g Drawable) *diagram.Diagram {
	if g == nil {
		return &diagram.Diagram{}
	}
	return g.drawing()
}

// drawingError tells what a writer's error is about.
func drawingError(err error) error {
	if err != nil {
		return fmt.Errorf("%sdrawing: %w", prefix, err)
	}
	return nil
}

func (g Graph) drawing() *diagram.Diagram {
	d := &diagram.Diagram{}
	names := g.Names()
	for _, name := range names {
		d.Add(diagram.Plain, name, diagram.Nowhere)
	}
	at := expr.Ranks(names)
	for _, e := range g.Edges() {
		d.Join(at[e.From], at[e.To], e.Channels.names...)
	}
	return d
}

func (r *Roster[B]) drawing() *diagram.Diagram {
	return drawEntries(r.Entries())
}

// drawEntries draws the entries of a roster.
func drawEntries(entries []GraphAgent) *diagram.Diagram {
	d := &diagram.Diagram{}
	media := map[Channel]*medium{}
	type level struct {
		entries []GraphAgent
		path    Name
		box     int32
	}
	todo := []level{{entries: entries, box: diagram.Nowhere}}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range l.entries {
			at := d.Add(shapeOf(e.Kind), strings.TrimPrefix(e.Name, prefixOf(l.path)), l.box)
			if e.Kind == KindNested {
				todo = append(todo, level{e.Entries, e.Name, at})
				continue
			}
			for _, ch := range e.Out.names {
				m := mediumOf(media, ch)
				m.posters = append(m.posters, at)
			}
			for _, ch := range e.In.names {
				m := mediumOf(media, ch)
				m.hearers = append(m.hearers, at)
			}
		}
	}
	drawMedia(d, media)
	return d
}

func shapeOf(k Kind) diagram.Shape {
	switch k {
	case KindNested:
		return diagram.Box
	case KindExternal:
		return diagram.Rounded
	}
	return diagram.Plain
}

// medium is a channel with everyone who posts to it and everyone who hears it.
type medium struct{ posters, hearers []int32 }

func mediumOf(media map[Channel]*medium, ch Channel) *medium {
	m := media[ch]
	if m == nil {
		m = &medium{}
		media[ch] = m
	}
	return m
}

// drawMedia draws channels in order of name, as nodes or as labels.
func drawMedia(d *diagram.Diagram, media map[Channel]*medium) {
	direct := map[[2]int32]int{}
	for _, ch := range sortedKeys(media) {
		m := media[ch]
		if !m.isDirect() {
			m.draw(d, ch)
			continue
		}
		for _, p := range m.posters {
			for _, h := range m.hearers {
				i, found := direct[[2]int32{p, h}]
				if !found {
					i = len(d.Arrows)
					direct[[2]int32{p, h}] = i
					d.Join(p, h)
				}
				d.Arrows[i].Labels = append(d.Arrows[i].Labels, ch)
			}
		}
	}
}

func (m *medium) isDirect() bool {
	p, h := len(m.posters), len(m.hearers)
	return p == 1 && h > 0 || h == 1 && p > 0
}

// draw draws a channel as a node in the innermost box around all its users.
func (m *medium) draw(d *diagram.Diagram, ch Channel) {
	at := d.Add(diagram.Hexagon, ch, d.Around(slices.Concat(m.posters, m.hearers)...))
	for _, p := range m.posters {
		d.Join(p, at)
	}
	for _, h := range m.hearers {
		d.Join(at, h)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := maps.Keys(m)
	slices.Sort(keys)
	return keys
}
