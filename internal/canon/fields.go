package canon

import (
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// field is a field of a struct that encoding/json writes.
type field struct {
	name      string
	index     []int // of the fields to go through, the last is the field
	tagged    bool  // the name comes from a tag
	omitEmpty bool
	omitZero  bool
}

// of is the field in v; false when it is left out.
func (f field) of(v reflect.Value) (reflect.Value, bool) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, !(f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v))
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero asks the method IsZero, if there is one, also by the address of a copy.
func isZero(v reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	switch {
	case v.Kind() == reflect.Interface && v.IsNil(), v.Kind() == reflect.Pointer && v.IsNil():
		return true
	case v.Kind() == reflect.Interface && v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil():
		return v.Type().Implements(reflect.TypeFor[zeroer]())
	case v.Type().Implements(reflect.TypeFor[zeroer]()):
		return v.Interface().(zeroer).IsZero()
	case reflect.PointerTo(v.Type()).Implements(reflect.TypeFor[zeroer]()):
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p.Interface().(zeroer).IsZero()
	}
	return v.IsZero()
}

// embedded is a struct whose fields count as those of the one around it.
type embedded struct {
	typ   reflect.Type
	index []int
}

// fieldsOf is the fields of a struct that encoding/json writes: its own and those of
// embedded structs, level by level, without those that others hide.
func fieldsOf(t reflect.Type) []field {
	var all []field
	seen := map[reflect.Type]bool{}
	times := map[reflect.Type]int{}
	level := []embedded{{typ: t}}
	for len(level) > 0 {
		var below []embedded
		timesBelow := map[reflect.Type]int{}
		for _, e := range level {
			if seen[e.typ] {
				continue
			}
			seen[e.typ] = true
			for i := range e.typ.NumField() {
				f, inner := classify(e, i)
				switch {
				case inner != nil:
					if timesBelow[inner.typ]++; timesBelow[inner.typ] == 1 {
						below = append(below, *inner)
					}
				case f != nil && times[e.typ] > 1:
					all = append(all, *f, *f) // so that they hide each other
				case f != nil:
					all = append(all, *f)
				}
			}
		}
		level, times = below, timesBelow
	}
	return visible(all)
}

// classify says whether field i of e is one to write, or an embedded struct, or none.
func classify(e embedded, i int) (*field, *embedded) {
	sf := e.typ.Field(i)
	t := sf.Type
	if t.Kind() == reflect.Pointer && (sf.Anonymous || t.Name() == "") {
		t = t.Elem()
	}
	isStruct := sf.Anonymous && t.Kind() == reflect.Struct
	tag := sf.Tag.Get("json")
	if tag == "-" || !sf.IsExported() && !isStruct {
		return nil, nil
	}
	index := append(slices.Clone(e.index), i)
	name, options, _ := strings.Cut(tag, ",")
	if !isName(name) {
		name = ""
	}
	if isStruct && name == "" {
		return nil, &embedded{typ: t, index: index}
	}
	f := &field{name: name, index: index, tagged: name != ""}
	if name == "" {
		f.name = sf.Name
	}
	for option := range strings.SplitSeq(options, ",") {
		f.omitEmpty = f.omitEmpty || option == "omitempty"
		f.omitZero = f.omitZero || option == "omitzero"
	}
	return f, nil
}

// isName reports whether encoding/json takes the name of a tag.
func isName(name string) bool {
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) {
			return false
		}
	}
	return name != ""
}

// visible leaves of the fields with one name the one that is least deep, before all
// one with a tag; none if there are two such.
func visible(all []field) []field {
	named := map[string][]field{}
	for _, f := range all {
		rivals := named[f.name]
		if len(rivals) > 0 {
			switch c := compareRank(f, rivals[0]); {
			case c > 0:
				continue
			case c < 0:
				rivals = nil
			}
		}
		named[f.name] = append(rivals, f)
	}
	var out []field
	for _, f := range all {
		if rivals := named[f.name]; len(rivals) == 1 && slices.Equal(f.index, rivals[0].index) {
			out = append(out, f)
		}
	}
	return out
}

// compareRank is negative when a hides b, and positive when b hides a.
func compareRank(a, b field) int {
	switch {
	case len(a.index) != len(b.index):
		return len(a.index) - len(b.index)
	case a.tagged == b.tagged:
		return 0
	case a.tagged:
		return -1
	}
	return 1
}
