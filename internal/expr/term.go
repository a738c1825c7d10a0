package expr

import "slices"

// Term is an expression as the operators make it: one leaf, a whole form, or two
// sides and their label. It is immutable, and nil is the empty graph.
type Term struct {
	words       []string // the names of a leaf, or a label
	form        *Form    // or nil
	left, right *Term    // or nil
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

// Vertex is the term of one vertex, in one piece of memory.
func Vertex(name string) *Term {
	single := &struct {
		Term
		name [1]string
	}{name: [1]string{name}}
	single.Term = leafOf(single.name[:])
	return &single.Term
}

// Vertices is the overlay of vertices. It copies the names.
func Vertices(names []string) *Term {
	if len(names) == 0 {
		return nil
	}
	e := leafOf(slices.Clone(names))
	return &e
}

// Connect joins two terms, in O(1). Without a label it overlays them.
func Connect(label Set, left, right *Term) *Term {
	if left == nil {
		return right
	}
	if right == nil {
		return left
	}
	nodes, spread := int(left.nodes), int(left.spread)
	if left != right {
		nodes, spread = nodes+int(right.nodes), spread+int(right.spread)
	}
	return &Term{
		words: label, left: left, right: right,
		size:   add(left.size, right.size),
		nodes:  limited(nodes + 1),
		spread: limited(spread + len(label)),
	}
}

// Size returns the number of vertices, counted as a tree, up to math.MaxInt.
func (e *Term) Size() int {
	if e == nil {
		return 0
	}
	return e.size
}

func leafOf(names []string) Term {
	return Term{words: names, size: len(names), nodes: 1, spread: limited(len(names))}
}

// term wraps a form of so many vertices.
func (f Form) term(size int) *Term {
	if len(f.Ops) == 0 {
		return nil
	}
	return &Term{form: &f, size: size, nodes: limited(len(f.Ops)), spread: limited(len(f.names) + len(f.labels))}
}

func limited(n int) int32 { return int32(min(n, walkLimit+1)) }

func (e *Term) hasSides() bool { return e.left != nil }
