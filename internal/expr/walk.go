package expr

// Form returns the expression as a list; it has no ops for the empty graph. It
// costs O(size), and O(1) where the term is one Chain, Pipeline, Transpose,
// Induce or Rename. The form is never much longer than the nodes of the
// expression in memory, or than walkLimit, so that what is small in memory and
// huge as a tree costs what it takes in memory.
func (e *Term) Form() Form {
	switch {
	case e == nil:
		return Form{}
	case e.form != nil:
		return *e.form
	}
	w := walk{
		places: map[*Term]int32{},
		deep:   e.nodes > walkLimit || e.spread > walkLimit,
	}
	if !w.deep {
		w.builder = newBuilder(int(e.nodes), min(int(e.spread), e.size), 0)
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
	return w.Form
}

// walk makes a form of an expression, both sides of a node before it.
type walk struct {
	builder
	open   []opened        // the nodes around the present one, from the root down
	places map[*Term]int32 // of those that are looked up
	deep   bool            // whether nodes with sides are looked up
}

// opened is a node whose sides are being walked.
type opened struct {
	*Term
	leftAt int32
}

const unknown = -1

// looksUp says whether to look e up, so that it is in the form once.
func (w *walk) looksUp(e *Term) bool {
	if !e.hasSides() && e.spread >= sharedWords {
		return true
	}
	return w.deep && e.size >= sharedSize
}

func (w *walk) find(e *Term) (at int32, found bool) {
	if w.looksUp(e) {
		at, found = w.places[e]
	}
	return at, found
}

// add adds a leaf or form and returns the place of its root.
func (w *walk) add(e *Term) int32 {
	if e.form == nil {
		w.leaf(e.words...)
		return w.remember(e)
	}
	base, names, labels := int32(len(w.Ops)), int32(len(w.names)), w.label(e.form.labels...).from
	w.names = append(w.names, e.form.names...)
	for _, o := range e.form.Ops {
		if o.IsLeaf() {
			o.from, o.to = o.from+names, o.to+names
		} else {
			o.from, o.to = o.from+labels, o.to+labels
			o.Left, o.Right = o.Left+base, o.Right+base
		}
		w.Ops = append(w.Ops, o)
	}
	return w.remember(e)
}

// remember keeps the place of the node that was added last.
func (w *walk) remember(e *Term) int32 {
	at := int32(len(w.Ops) - 1)
	if w.looksUp(e) {
		w.places[e] = at
	}
	return at
}

// closeAt adds the open nodes that end with the one at the given place, and
// returns what to walk next: the right side of the first one that does not.
func (w *walk) closeAt(at int32) (next *Term) {
	for len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if top.leftAt == unknown {
			top.leftAt = at
			if top.right != top.left {
				return top.right
			}
		}
		w.join(w.labelled(top.words), top.leftAt, at)
		at = w.remember(top.Term)
		w.open = w.open[:len(w.open)-1]
	}
	return nil
}
