package journal

import (
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// apply makes the set that a delta leads to.
func (h *History) apply(m snapshot.Map, d *Delta, id int, part Part) (snapshot.Map, error) {
	if d == nil {
		return m, nil
	}
	for name, raw := range d.Put { // the order does not show in a set
		v, err := snapshot.NewValue(raw)
		if err != nil {
			return m, fmt.Errorf("value of %q: %w", name, err)
		}
		h.remember(v, Ref{id, part, name})
		m = m.With(name, v)
	}
	for name, ref := range d.Ref {
		v := h.value(ref)
		if ref.ID == id && ref.Part == part {
			v = m.Get(ref.Name)
		}
		if v == nil {
			return m, fmt.Errorf("no value %q in %d", ref.Name, ref.ID)
		}
		m = m.With(name, v)
	}
	for _, name := range d.Del {
		m = m.Without(name)
	}
	return m, nil
}

// value finds what a reference means. A reference to the entry that it stands in
// means one of its earlier parts.
func (h *History) value(r Ref) *snapshot.Value {
	s := h.steps[r.ID]
	switch {
	case s == nil:
		return nil
	case r.Part == Given:
		return s.In.Get(r.Name)
	case r.Part == Set:
		return s.Out.Get(r.Name)
	}
	return s.Left.Get(r.Name)
}

// worthRef is from how many bytes on a value is referred to, not written again.
const worthRef = 64

func (h *History) remember(v *snapshot.Value, ref Ref) {
	if len(v.Raw) < worthRef {
		return
	}
	if _, ok := h.values[v.Sum]; !ok {
		h.values[v.Sum] = place{v, ref}
	}
}

// stands says where a value stands in the log.
func (h *History) stands(v *snapshot.Value) (Ref, bool) {
	if len(v.Raw) < worthRef {
		return Ref{}, false
	}
	p, ok := h.values[v.Sum]
	return p.ref, ok && p.value.Same(v)
}
