package agentgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Drawable is what [DOT] and [Mermaid] draw: a [Graph] or a *[Roster].
//
// A graph is drawn by its edges, labelled with their channels. A roster is drawn
// by who hears whom: nested nodes are boxes around their members, seats outside
// are rounded, and where several post to a channel that several hear, the
// channel is a small node of its own, for n agents on one channel have n² edges
// but 2n ways to and from it. All other channels label a direct edge.
type Drawable interface {
	drawing() *drawing
}

// DOT writes a drawing in the language of Graphviz. The order is that of names;
// one graph gives one text. It costs O(n log n) in what it draws. Every name is
// escaped, and characters that do not show, such as marks that turn the
// direction of writing, are drawn as \u escapes.
func DOT(w io.Writer, g Drawable) error {
	return draw(w, g, dot{})
}

// Mermaid writes the same drawing as a Mermaid flowchart. Mermaid refuses more
// than 500 edges or 50,000 characters unless maxEdges and maxTextSize say so.
func Mermaid(w io.Writer, g Drawable) error {
	return draw(w, g, mermaid{})
}

// drawing is what is to be drawn: a tree of figures, and arrows between them.
type drawing struct {
	figures []figure
	arrows  []arrow
}

// figure is a vertex or a box around other figures.
type figure struct {
	form   figureForm
	label  string
	box    int32   // the figure around it, or -1
	inside []int32 // of a box
}

type figureForm int

const (
	formAgent figureForm = iota
	formSeat
	formChannel
	formBox
)

// arrow joins two figures. Its channels are not shown where one end is a channel.
type arrow struct {
	from, to int32
	channels []Channel
}

func (d *drawing) add(f figure) int32 {
	at := int32(len(d.figures))
	d.figures = append(d.figures, f)
	if f.box >= 0 {
		b := &d.figures[f.box]
		b.inside = append(b.inside, at)
	}
	return at
}

func (g Graph) drawing() *drawing {
	d := &drawing{}
	names := g.Names()
	for _, name := range names {
		d.add(figure{label: name, box: -1})
	}
	at := ranksOf(names)
	for _, e := range g.Edges() {
		d.arrows = append(d.arrows, arrow{at[e.From], at[e.To], e.Channels.names})
	}
	return d
}

func (r *Roster[B]) drawing() *drawing {
	return drawEntries(r.Entries())
}

// drawEntries draws the entries of a roster.
func drawEntries(entries []GraphAgent) *drawing {
	d := &drawing{}
	media := map[Channel]*medium{}
	type level struct {
		entries []GraphAgent
		path    Name
		box     int32
	}
	todo := []level{{entries: entries, box: -1}}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range l.entries {
			at := d.add(figure{entryForm(e.Kind), strings.TrimPrefix(e.Name, l.path+"/"), l.box, nil})
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
	d.addChannels(media)
	return d
}

func entryForm(k Kind) figureForm {
	switch k {
	case KindNested:
		return formBox
	case KindExternal:
		return formSeat
	}
	return formAgent
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

// addChannels draws channels in order of name, as nodes or as labels.
func (d *drawing) addChannels(media map[Channel]*medium) {
	direct := map[[2]int32]int{}
	for _, ch := range sortedKeys(media) {
		m := media[ch]
		if !m.isDirect() {
			d.addMedium(ch, m)
			continue
		}
		for _, p := range m.posters {
			for _, h := range m.hearers {
				i, found := direct[[2]int32{p, h}]
				if !found {
					i = len(d.arrows)
					direct[[2]int32{p, h}] = i
					d.arrows = append(d.arrows, arrow{from: p, to: h})
				}
				d.arrows[i].channels = append(d.arrows[i].channels, ch)
			}
		}
	}
}

func (m *medium) isDirect() bool {
	p, h := len(m.posters), len(m.hearers)
	return p == 1 && h > 0 || h == 1 && p > 0
}

// addMedium draws a channel as a node in the innermost box around all its users.
func (d *drawing) addMedium(ch Channel, m *medium) {
	users := slices.Concat(m.posters, m.hearers)
	box := d.figures[users[0]].box
	for _, u := range users[1:] {
		box = d.common(box, d.figures[u].box)
	}
	at := d.add(figure{form: formChannel, label: ch, box: box})
	for _, p := range m.posters {
		d.arrows = append(d.arrows, arrow{from: p, to: at})
	}
	for _, h := range m.hearers {
		d.arrows = append(d.arrows, arrow{from: at, to: h})
	}
}

// common returns the innermost box around two boxes. A box has a higher number
// than the one around it.
func (d *drawing) common(a, b int32) int32 {
	for a != b {
		if a < b {
			a, b = b, a
		}
		a = d.figures[a].box
	}
	return a
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// dialect is a language of drawings. Identifiers are numbers, so that no name
// can break one; lines come without indentation and newline.
type dialect interface {
	start() (line string, depth int)
	vertex(id int, f figureForm, label string) string
	box(id int, label string) []string
	closeBox() string
	arrow(from, to int, channels []Channel) string
	end() string // empty for none
}

func draw(w io.Writer, g Drawable, in dialect) error {
	d := &drawing{}
	if g != nil {
		d = g.drawing()
	}
	p := &pen{w: bufio.NewWriter(w)}
	line, depth := in.start()
	p.line(line)
	p.depth = depth
	ids := d.drawFigures(p, in)
	for i := range d.arrows {
		a := &d.arrows[i]
		a.from, a.to = ids[a.from], ids[a.to]
	}
	slices.SortFunc(d.arrows, func(a, b arrow) int {
		if a.from != b.from {
			return int(a.from) - int(b.from)
		}
		return int(a.to) - int(b.to)
	})
	for _, a := range d.arrows {
		p.line(in.arrow(int(a.from), int(a.to), a.channels))
	}
	p.depth = 0
	if line := in.end(); line != "" {
		p.line(line)
	}
	return p.close()
}

// drawFigures draws boxes around what they hold, and returns for each figure its
// place in the text, which is its identifier.
func (d *drawing) drawFigures(p *pen, in dialect) []int32 {
	ids := make([]int32, len(d.figures))
	var todo []int32 // -1 closes a box
	for i := len(d.figures) - 1; i >= 0; i-- {
		if d.figures[i].box < 0 {
			todo = append(todo, int32(i))
		}
	}
	next := 0
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at < 0 {
			p.depth--
			p.line(in.closeBox())
			continue
		}
		f := d.figures[at]
		ids[at] = int32(next)
		if f.form != formBox {
			p.line(in.vertex(next, f.form, f.label))
		} else {
			lines := in.box(next, f.label)
			p.line(lines[0])
			p.depth++
			for _, line := range lines[1:] {
				p.line(line)
			}
			todo = append(todo, -1)
			for _, inner := range slices.Backward(f.inside) {
				todo = append(todo, inner)
			}
		}
		next++
	}
	return ids
}

// deepest is how far lines are indented: deep nesting must not cost its square.
const deepest = 20

// pen writes indented lines.
type pen struct {
	w     *bufio.Writer
	depth int
}

func (p *pen) line(s string) {
	for range min(p.depth, deepest) {
		p.w.WriteByte('\t') //nolint:errcheck // the writer keeps its error for close
	}
	p.w.WriteString(s)  //nolint:errcheck // as above
	p.w.WriteByte('\n') //nolint:errcheck // as above
}

func (p *pen) close() error {
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("%sdrawing: %w", prefix, err)
	}
	return nil
}

// visible returns a name as a reader can tell it from any other: what does not
// show, and the backslash, is escaped as in Go. An empty name is "".
func visible(name string) string {
	if name == "" {
		return `""`
	}
	q := strconv.Quote(name)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

func visibleList(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = visible(name)
	}
	return strings.Join(shown, ", ")
}

type dot struct{}

func (dot) start() (string, int) { return "digraph {", 1 }
func (dot) closeBox() string     { return "}" }
func (dot) end() string          { return "}" }

func (dot) vertex(id int, f figureForm, label string) string {
	look := "shape=box"
	switch f {
	case formSeat:
		look = `shape=box, style="rounded,dashed"`
	case formChannel:
		look = "shape=hexagon, height=0.3"
	}
	return fmt.Sprintf("n%d [label=%s, %s];", id, dotString(visible(label)), look)
}

func (dot) box(id int, label string) []string {
	return []string{
		fmt.Sprintf("subgraph cluster_n%d {", id),
		fmt.Sprintf("label=%s;", dotString(visible(label))),
	}
}

func (dot) arrow(from, to int, channels []Channel) string {
	if len(channels) == 0 {
		return fmt.Sprintf("n%d -> n%d;", from, to)
	}
	return fmt.Sprintf("n%d -> n%d [label=%s];", from, to, dotString(visibleList(channels)))
}

// dotString quotes a text of visible characters. Graphviz reads backslashes and
// character entities in labels.
func dotString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(s) + `"`
}

type mermaid struct{}

func (mermaid) start() (string, int) { return "flowchart LR", 1 }
func (mermaid) closeBox() string     { return "end" }
func (mermaid) end() string          { return "" }

func (mermaid) vertex(id int, f figureForm, label string) string {
	left, right := "[", "]"
	switch f {
	case formSeat:
		left, right = "([", "])"
	case formChannel:
		left, right = "{{", "}}"
	}
	return fmt.Sprintf(`n%d%s"%s"%s`, id, left, mermaidText(visible(label)), right)
}

func (mermaid) box(id int, label string) []string {
	return []string{fmt.Sprintf(`subgraph n%d ["%s"]`, id, mermaidText(visible(label)))}
}

func (mermaid) arrow(from, to int, channels []Channel) string {
	if len(channels) == 0 {
		return fmt.Sprintf("n%d --> n%d", from, to)
	}
	return fmt.Sprintf(`n%d -->|"%s"| n%d`, from, mermaidText(visibleList(channels)), to)
}

// mermaidText writes all but letters, digits and a few harmless marks of ASCII
// as entity codes, for much of it means something to Mermaid somewhere.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= utf8.RuneSelf, r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" -_.,/?!'", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
