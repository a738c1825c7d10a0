package canon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"
)

var errInvalidUTF8 = errors.New("invalid UTF-8 in a string")

// Marshal is the compact JSON text of v, as json.Marshal has it but without escapes
// for HTML. What is no valid UTF-8 in v is an error and never written as U+FFFD. A
// json.RawMessage is copied by Compact. It is an error as well when the text would be
// nested deeper than 9,900, and when encoding/json has one, which is wrapped.
func Marshal(v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return json.RawMessage("null"), nil
	case bool:
		return strconv.AppendBool(nil, v), nil
	case int:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case string:
		return marshalString(v)
	case json.RawMessage:
		if v == nil {
			return json.RawMessage("null"), nil
		}
		return Compact(v)
	}
	return marshalAny(v)
}

func marshalString(s string) (json.RawMessage, error) {
	if !utf8.ValidString(s) {
		return nil, errInvalidUTF8
	}
	for i := range len(s) {
		if !isPlain(s[i]) {
			return encode(s)
		}
	}
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	out = append(out, s...)
	return append(out, '"'), nil
}

func marshalAny(v any) (json.RawMessage, error) {
	if tooDeep(v) {
		return nil, fmt.Errorf("cannot be written as JSON: %w", &json.UnsupportedValueError{
			Value: reflect.ValueOf(v), Str: fmt.Sprintf("nested deeper than %d, or in itself", maxDepth)})
	}
	out, err := encode(v)
	if err != nil {
		return nil, err
	}
	if err := check(out); err != nil {
		return nil, err
	}
	if bytes.Contains(out, []byte(replacement)) && holdsInvalidUTF8(v) {
		return nil, errInvalidUTF8
	}
	return out, nil
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot be written as JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
