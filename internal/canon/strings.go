package canon

import (
	"encoding"
	"encoding/json"
	"reflect"
	"unicode/utf8"
)

// replacement is what encoding/json writes for a byte that is no UTF-8. A genuine
// U+FFFD it writes as it is, but the text of a json.Marshaler may have this escape.
const replacement = `\ufffd`

// holdsInvalidUTF8 reports whether a string that encoding/json writes for v has
// bytes that are no UTF-8. V must have been encoded before: it has no cycles.
func holdsInvalidUTF8(v any) bool {
	w := stringWalk{fields: map[reflect.Type][]field{}}
	return w.bad(reflect.ValueOf(v))
}

// stringWalk goes through what encoding/json would encode.
type stringWalk struct {
	fields map[reflect.Type][]field
}

func (w stringWalk) bad(v reflect.Value) bool {
	switch {
	case !v.IsValid(), isNil(v), writesItself[json.Marshaler](v):
		return false
	case writesItself[encoding.TextMarshaler](v):
		return badText(v)
	}
	switch v.Kind() {
	case reflect.String:
		return !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return w.bad(v.Elem())
	case reflect.Struct:
		return w.badStruct(v)
	case reflect.Map:
		return w.badMap(v)
	case reflect.Slice, reflect.Array:
		return w.badList(v)
	}
	return false
}

func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil()
}

// writesItself reports whether v has the methods of T, or has them by its address.
func writesItself[T any](v reflect.Value) bool {
	t, want := v.Type(), reflect.TypeFor[T]()
	return t.Implements(want) || v.CanAddr() && reflect.PointerTo(t).Implements(want)
}

func badText(v reflect.Value) bool {
	m, ok := reflect.TypeAssert[encoding.TextMarshaler](v)
	if !ok {
		m, _ = reflect.TypeAssert[encoding.TextMarshaler](v.Addr())
	}
	text, err := m.MarshalText()
	return err == nil && !utf8.Valid(text)
}

func (w stringWalk) badList(v reflect.Value) bool {
	if holdsNumbers(v.Type().Elem()) {
		return false
	}
	for i := range v.Len() {
		if w.bad(v.Index(i)) {
			return true
		}
	}
	return false
}

// holdsNumbers spares a walk over what may be many plain numbers, or bytes.
func holdsNumbers(t reflect.Type) bool {
	isNumber := reflect.Bool <= t.Kind() && t.Kind() <= reflect.Float64
	return isNumber && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func (w stringWalk) badMap(v reflect.Value) bool {
	for entries := v.MapRange(); entries.Next(); {
		if badKey(entries.Key()) || w.bad(entries.Value()) {
			return true
		}
	}
	return false
}

// badKey is about the key of a map, whose text is that of a string before all else.
func badKey(k reflect.Value) bool {
	if k.Kind() == reflect.String {
		return !utf8.ValidString(k.String())
	}
	return !isNil(k) && writesItself[encoding.TextMarshaler](k) && badText(k)
}

func (w stringWalk) badStruct(v reflect.Value) bool {
	t := v.Type()
	fields, ok := w.fields[t]
	if !ok {
		fields = fieldsOf(t)
		w.fields[t] = fields
	}
	for _, f := range fields {
		if x, ok := f.of(v); ok && w.bad(x) {
			return true
		}
	}
	return false
}
