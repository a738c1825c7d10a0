// Package kind tells the kinds of JSON values apart: which one a question wants, and
// which one an answer is.
package kind

import (
	"bytes"
	"encoding/json"
	"slices"
)

// The kinds that can be wanted. They stand in journals.
const (
	Boolean = "boolean"
	Number  = "number"
	String  = "string"
	List    = "list"
	Object  = "object"
)

// Of is the kind of a JSON value. That of null is "": it can stand for one of any.
func Of(value json.RawMessage) string {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '{':
		return Object
	case '[':
		return List
	case '"':
		return String
	case 't', 'f':
		return Boolean
	case 'n':
		return ""
	}
	return Number
}

// Other says whether a value is plainly not what is wanted. A kind that is not known
// here wants nothing.
func Other(wanted string, value json.RawMessage) bool {
	is := Of(value)
	return is != "" && Named(wanted) != "" && is != wanted
}

// NoText says that a kind is wanted of which no text is one.
func NoText(wanted string) bool {
	return slices.Contains([]string{Boolean, Number, List, Object}, wanted)
}

// Named is what people call a value of a kind; "" for a kind that is not known here.
func Named(kind string) string {
	switch kind {
	case Boolean:
		return "a boolean (true or false)"
	case Number:
		return "a number"
	case String:
		return "a text"
	case List:
		return "a list"
	case Object:
		return "an object"
	}
	return ""
}
