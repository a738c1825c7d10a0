package snapshot

// Change is a name whose value differs between two sets; nil is none.
type Change struct {
	Name          string
	Before, After *Value
}

// Rewritten returns the names whose text differs from one set to another that was
// made from it, in order. It costs O(changes * log n).
func Rewritten(before, after Map) []Change {
	d := differ{}
	d.walk(before.root, after.root)
	return d.changes
}

// Changed returns the names whose value differs between any two sets of one key,
// in order. It costs O(changes * log n).
func Changed(before, after Map) []Change {
	d := differ{values: true}
	d.walk(before.root, after.root)
	return d.changes
}

// differ walks two trees side by side, and not into what they share.
type differ struct {
	values  bool // equal values are no change, though their texts differ
	changes []Change
}

func (d *differ) walk(a, b *node) {
	switch {
	case a == b, d.values && a.total() == b.total():
	case a == nil:
		b.each(func(name string, v *Value) bool { d.add(name, nil, v); return true })
	case b == nil:
		a.each(func(name string, v *Value) bool { d.add(name, v, nil); return true })
	case a.name == b.name:
		d.walk(a.left, b.left)
		d.add(a.name, a.value, b.value)
		d.walk(a.right, b.right)
	case a.over(b):
		left, at, right := b.split(a.name)
		d.walk(a.left, left)
		d.add(a.name, a.value, at)
		d.walk(a.right, right)
	default:
		left, at, right := a.split(b.name)
		d.walk(left, b.left)
		d.add(b.name, at, b.value)
		d.walk(right, b.right)
	}
}

func (d *differ) add(name string, before, after *Value) {
	if before.Same(after) || d.values && before.Equal(after) {
		return
	}
	d.changes = append(d.changes, Change{name, before, after})
}
