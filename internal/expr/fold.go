package expr

// Fold interprets a form: vertices by vertex, and nodes by connect, whose label
// is empty for an overlay. It works once on what is shared, and lets a result go
// after its last use.
func Fold[T any](f Form, empty T, vertex func(string) T, connect func(Set, T, T) T) T {
	if len(f.Ops) == 0 {
		return empty
	}
	var none T
	results, last := make([]T, len(f.Ops)), f.lastUses()
	for i, o := range f.Ops {
		if o.IsLeaf() {
			results[i] = foldLeaf(f.Leaf(o), vertex, connect)
			continue
		}
		results[i] = connect(f.Label(o), results[o.Left], results[o.Right])
		for _, side := range [...]int32{o.Left, o.Right} {
			if last[side] == int32(i) {
				results[side] = none
			}
		}
	}
	return results[len(results)-1]
}

func foldLeaf[T any](names []string, vertex func(string) T, connect func(Set, T, T) T) T {
	result := vertex(names[0])
	for _, name := range names[1:] {
		result = connect(nil, result, vertex(name))
	}
	return result
}

// lastUses says for every node which one uses it last.
func (f Form) lastUses() []int32 {
	last := make([]int32, len(f.Ops))
	for i, o := range f.Ops {
		if !o.IsLeaf() {
			last[o.Left], last[o.Right] = int32(i), int32(i)
		}
	}
	return last
}
