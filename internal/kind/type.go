package kind

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// pointers is how many pointers one behind the other are followed: a type can be a
// pointer to itself.
const pointers = 8

// ForType is the only kind of value, beside null, that encoding/json reads into a Go
// type, or "" where it reads several, where a method decides, or none. One that reads
// text itself is given strings alone.
func ForType(t reflect.Type) string {
	for range pointers {
		switch at := reflect.PointerTo(t); {
		case at.Implements(reflect.TypeFor[json.Unmarshaler]()):
			return ""
		case at.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
			return String
		case t.Kind() != reflect.Pointer:
			return plain(t)
		}
		t = t.Elem()
	}
	return ""
}

// plain is the kind for a type without methods that read.
func plain(t reflect.Type) string {
	if t == reflect.TypeFor[json.Number]() { // also one in a string
		return ""
	}
	switch t.Kind() { //nolint:exhaustive // the others hold no JSON, or any
	case reflect.Bool:
		return Boolean
	case reflect.String:
		return String
	case reflect.Struct, reflect.Map:
		return Object
	case reflect.Array:
		return List
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // its bytes in a string, or a list of them
			return ""
		}
		return List
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return Number
	}
	return ""
}
