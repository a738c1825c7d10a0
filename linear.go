package agentgraph

// expr is an expression: one leaf, a whole form, or two sides and their label.
type expr struct {
	words       []string // the names of a leaf, or the channels of a label
	form        *form    // or nil
	left, right *expr    // or nil
	size        int      // vertices, counted as a tree, up to math.MaxInt
	nodes       int32    // ops that a walk makes of it, up to some number over walkLimit
	spread      int32    // and words
}

const (
	// walkLimit is how many ops and words an expression may have to be walked as
	// a tree, which is the fastest when little is shared.
	walkLimit = 1 << 23

	// sharedSize is the size from which the nodes of a larger expression are
	// looked up before they are walked again.
	sharedSize = 4

	// sharedWords is how long a leaf or form is to be looked up always.
	sharedWords = 32
)

func leafOf(names []Name) expr {
	return expr{words: names, size: len(names), nodes: 1, spread: limited(len(names))}
}

func exprOf(f form, size int) *expr {
	if len(f.ops) == 0 {
		return nil
	}
	return &expr{form: &f, size: size, nodes: limited(len(f.ops)), spread: limited(len(f.words))}
}

func joined(label ChannelSet, left, right *expr) *expr {
	nodes, spread := int(left.nodes), int(left.spread)
	if left != right {
		nodes, spread = nodes+int(right.nodes), spread+int(right.spread)
	}
	return &expr{
		words: label.names, left: left, right: right,
		size:   add(left.size, right.size),
		nodes:  limited(nodes + 1),
		spread: limited(spread + len(label.names)),
	}
}

func limited(n int) int32 { return int32(min(n, walkLimit+1)) }

func (e *expr) hasSides() bool { return e.left != nil }

// linear returns the form of the expression; it has no ops for the empty graph.
// It costs O(size), and O(1) where the graph is one Chain, Pipeline, Transpose,
// Induce or Rename. The form is never much longer than the nodes of the expression in
// memory, or than walkLimit, so that what is small in memory and huge as a tree
// costs what it takes in memory.
func (g Graph) linear() form {
	e := g.root
	switch {
	case e == nil:
		return form{}
	case e.form != nil:
		return *e.form
	}
	w := walk{
		places: map[*expr]int32{},
		deep:   e.nodes > walkLimit || e.spread > walkLimit,
	}
	if !w.deep {
		w.builder = newBuilder(int(e.nodes), int(e.spread))
		w.open = make([]opened, 0, e.nodes/2)
	}
	for e != nil {
		at, found := w.find(e)
		if !found && e.hasSides() {
			w.open = append(w.open, opened{e, unknown})
			e = e.left
			continue
		}
		if !found {
			at = w.add(e)
		}
		e = w.closeAt(at)
	}
	return w.form
}

// walk makes a form of an expression, both sides of a node before it.
type walk struct {
	builder
	open   []opened        // the nodes around the present one, from the root down
	places map[*expr]int32 // of those that are looked up
	deep   bool            // whether nodes with sides are looked up
}

// opened is a node whose sides are being walked.
type opened struct {
	*expr
	leftAt int32
}

const unknown = -1

// looksUp says whether to look e up, so that it is in the form once.
func (w *walk) looksUp(e *expr) bool {
	if !e.hasSides() && e.spread >= sharedWords {
		return true
	}
	return w.deep && e.size >= sharedSize
}

func (w *walk) find(e *expr) (at int32, found bool) {
	if w.looksUp(e) {
		at, found = w.places[e]
	}
	return at, found
}

// add adds a leaf or form and returns the place of its root.
func (w *walk) add(e *expr) int32 {
	if e.form == nil {
		w.leaf(w.put(e.words...))
		return w.remember(e)
	}
	base, words := int32(len(w.ops)), w.put(e.form.words...)
	for _, o := range e.form.ops {
		o.from, o.to = o.from+words.from, o.to+words.from
		if !o.isLeaf() {
			o.left, o.right = o.left+base, o.right+base
		}
		w.ops = append(w.ops, o)
	}
	return w.remember(e)
}

// remember keeps the place of the node that was added last.
func (w *walk) remember(e *expr) int32 {
	at := int32(len(w.ops) - 1)
	if w.looksUp(e) {
		w.places[e] = at
	}
	return at
}

// closeAt adds the open nodes that end with the one at the given place, and
// returns what to walk next: the right side of the first one that does not.
func (w *walk) closeAt(at int32) (next *expr) {
	for len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if top.leftAt == unknown {
			top.leftAt = at
			if top.right != top.left {
				return top.right
			}
		}
		w.join(w.labelled(top.words), top.leftAt, at)
		at = w.remember(top.expr)
		w.open = w.open[:len(w.open)-1]
	}
	return nil
}
