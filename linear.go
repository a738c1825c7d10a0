package agentgraph

// op is one node of a linear form. Its names and label are those of expr; left
// and right are the places of its sides in the form and mean nothing in a leaf.
type op struct {
	*expr
	left, right int32
}

const (
	// walkLimit is how many nodes an expression may have, counted as a tree, to
	// be walked as a tree, which is the fastest when little is shared.
	walkLimit = 1 << 23

	// sharedSize is the size from which the nodes of a larger one are looked up
	// before they are walked again. Below, walking again is cheaper.
	sharedSize = 4
)

// linear returns the nodes of the expression so that both sides of a node stand
// before it, the root last; it is nil for the empty graph. Every algorithm over
// expressions is a loop over this list: forwards from the leaves to the root, or
// backwards to hand something down. A node that occurs twice may stand there
// once or twice, and its two sides may be one. The list is never much longer
// than the number of distinct nodes, or than walkLimit, so that what is small in
// memory and huge as a tree costs what it takes in memory.
func (g Graph) linear() []op {
	if g.root == nil {
		return nil
	}
	var w walk
	if g.root.nodes <= walkLimit {
		w.ops = make([]op, 0, g.root.nodes)
	} else {
		w.places = map[*expr]int32{}
	}
	for e := g.root; e != nil; {
		at, found := w.find(e)
		if !found && !e.isLeaf() {
			w.open = append(w.open, op{expr: e, left: -1})
			e = e.left
			continue
		}
		if !found {
			at = w.add(op{expr: e})
		}
		e = w.closeAt(at)
	}
	return w.ops
}

// walk is a walk over an expression, both sides first.
type walk struct {
	ops    []op
	open   []op            // the nodes around the present one, from the root down; left is -1 until it is known
	places map[*expr]int32 // of nodes that may be shared; nil to walk a tree
}

func (w *walk) find(e *expr) (at int32, found bool) {
	if w.places == nil || e.size < sharedSize {
		return 0, false
	}
	at, found = w.places[e]
	return at, found
}

func (w *walk) add(o op) (at int32) {
	at = int32(len(w.ops))
	w.ops = append(w.ops, o)
	if w.places != nil && o.size >= sharedSize {
		w.places[o.expr] = at
	}
	return at
}

// closeAt adds the open nodes that end with the one at the given place, and
// returns the node to walk next: the right side of the first that does not.
func (w *walk) closeAt(at int32) (next *expr) {
	for len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if top.left < 0 {
			top.left = at
			if top.expr.right != top.expr.left {
				return top.expr.right
			}
		}
		at = w.add(op{top.expr, top.left, at})
		w.open = w.open[:len(w.open)-1]
	}
	return nil
}
