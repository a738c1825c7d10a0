package expr

import "slices"

// Between returns the label of the edge from one vertex to another, none where
// there is no edge, in O(size).
func (f Form) Between(from, to string) Set {
	hasFrom, hasTo := make([]bool, len(f.Ops)), make([]bool, len(f.Ops))
	var labels []Set
	for i, o := range f.Ops {
		if o.IsLeaf() {
			hasFrom[i], hasTo[i] = slices.Contains(f.Leaf(o), from), slices.Contains(f.Leaf(o), to)
			continue
		}
		hasFrom[i] = hasFrom[o.Left] || hasFrom[o.Right]
		hasTo[i] = hasTo[o.Left] || hasTo[o.Right]
		if hasFrom[o.Left] && hasTo[o.Right] {
			labels = append(labels, f.Label(o))
		}
	}
	return unionOf(labels)
}
