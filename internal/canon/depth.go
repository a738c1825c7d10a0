package canon

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

// mostSteps is how many Go values may lie in each other that encoding/json is given:
// at a million it overflows the stack, which nobody can recover. A list or an object
// that JSON may hold takes rarely more than an interface, a pointer and itself.
const mostSteps = 4 * maxDepth

// tooDeep reports whether values lie in each other more than mostSteps times, where
// encoding/json goes through them. It costs little where types tell that they do not.
func tooDeep(v any) bool {
	var w depthWalk
	return w.any(v, mostSteps)
}

// depthWalk goes through what encoding/json would encode.
type depthWalk struct {
	flat  map[reflect.Type]bool // what isFlat has found
	plans []plan                // what followed has found, which are few
}

// plan is which fields of a struct to follow.
type plan struct {
	of        reflect.Type
	byAddress bool // whose methods count too
	fields    []int
}

// any spares the most usual values reflection.
func (w *depthWalk) any(v any, steps int) bool {
	switch v := v.(type) {
	case nil, bool, string, int, int64, float64, json.Number, json.RawMessage, time.Time:
		return false
	case []any:
		return w.items(v, steps)
	case map[string]any:
		return w.members(v, steps)
	}
	return w.value(reflect.ValueOf(v), steps)
}

func (w *depthWalk) items(list []any, steps int) bool {
	for _, item := range list {
		if steps == 0 || w.any(item, steps-1) {
			return true
		}
	}
	return false
}

func (w *depthWalk) members(object map[string]any, steps int) bool {
	for _, member := range object {
		if steps == 0 || w.any(member, steps-1) {
			return true
		}
	}
	return false
}

func (w *depthWalk) value(v reflect.Value, steps int) bool {
	for ; v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface; steps-- {
		if v.IsNil() {
			return false
		}
		if steps == 0 {
			return true
		}
		v = v.Elem()
	}
	if steps == 0 {
		return true
	}
	switch v.Kind() {
	case reflect.Struct:
		return w.structure(v, steps-1)
	case reflect.Slice, reflect.Array:
		return w.list(v, steps-1)
	case reflect.Map:
		return w.table(v, steps-1)
	}
	return false
}

func (w *depthWalk) structure(v reflect.Value, steps int) bool {
	for _, i := range w.followed(v) {
		if w.value(v.Field(i), steps) {
			return true
		}
	}
	return false
}

// followed gives the fields of a struct that may hold others, and are written.
func (w *depthWalk) followed(v reflect.Value) []int {
	t, byAddress := v.Type(), v.CanAddr()
	for _, p := range w.plans {
		if p.of == t && p.byAddress == byAddress {
			return p.fields
		}
	}
	var fields []int
	for i := range v.NumField() {
		if f := v.Field(i); nests(f.Kind()) && holdsOthers(f.Type()) && isWritten(t.Field(i)) {
			if fields == nil {
				fields = make([]int, 0, v.NumField()-i)
			}
			fields = append(fields, i)
		}
	}
	if len(fields) == 0 { // seen as soon as looked up
		return nil
	}
	if isOpaque(v) {
		fields = nil
	}
	w.plans = append(w.plans, plan{t, byAddress, fields})
	return fields
}

func (w *depthWalk) list(v reflect.Value, steps int) bool {
	const few = 4 // are looked at sooner than their type
	item := v.Type().Elem()
	if !nests(item.Kind()) || isOpaque(v) {
		return false
	}
	if items, ok := reflect.TypeAssert[[]any](v); ok {
		return w.items(items, steps)
	}
	n := v.Len()
	if n > few && w.isFlat(item) {
		return false
	}
	for i := range n {
		if w.value(v.Index(i), steps) {
			return true
		}
	}
	return false
}

func (w *depthWalk) table(v reflect.Value, steps int) bool {
	member := v.Type().Elem()
	if !nests(member.Kind()) || isOpaque(v) || v.Len() == 0 {
		return false
	}
	if members, ok := reflect.TypeAssert[map[string]any](v); ok {
		return w.members(members, steps)
	}
	if w.isFlat(member) {
		return false
	}
	for members := v.MapRange(); members.Next(); {
		if w.value(members.Value(), steps) {
			return true
		}
	}
	return false
}

// isFlat reports whether no value of a type can be deep: it holds neither itself nor
// an interface.
func (w *depthWalk) isFlat(t reflect.Type) bool {
	if !nests(t.Kind()) {
		return true
	}
	if flat, ok := w.flat[t]; ok {
		return flat
	}
	if w.flat == nil {
		w.flat = map[reflect.Type]bool{}
	}
	w.flat[t] = false // while it is looked at: it may hold itself
	w.flat[t] = w.holdsFlat(t)
	return w.flat[t]
}

func (w *depthWalk) holdsFlat(t reflect.Type) bool {
	switch {
	case t.Kind() == reflect.Interface:
		return false
	case t.Kind() != reflect.Struct:
		return w.isFlat(t.Elem())
	}
	for i := range t.NumField() {
		if f := t.Field(i); isWritten(f) && !w.isFlat(f.Type) {
			return false
		}
	}
	return true
}

// nests reports whether values of a kind hold others.
func nests(k reflect.Kind) bool {
	switch k {
	case reflect.Struct, reflect.Interface, reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

// holdsOthers is false for what ends at once: a number, a time, a list of strings.
func holdsOthers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return nests(t.Elem().Kind())
	case reflect.Struct:
		return t != reflect.TypeFor[time.Time]()
	}
	return t.Kind() == reflect.Interface
}

// isWritten reports whether encoding/json looks at a field.
func isWritten(f reflect.StructField) bool {
	if f.Tag.Get("json") == "-" {
		return false
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return f.IsExported() || f.Anonymous && t.Kind() == reflect.Struct
}

// isOpaque reports whether v writes itself: nobody else may look into it.
func isOpaque(v reflect.Value) bool {
	t := v.Type()
	return hasMethods(t) || v.CanAddr() && hasMethods(reflect.PointerTo(t))
}

func hasMethods(t reflect.Type) bool {
	return t.NumMethod() > 0 && (t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()))
}
