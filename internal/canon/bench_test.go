package canon

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// keepRaw is like keep.
var keepRaw json.RawMessage

func BenchmarkMarshal(b *testing.B) {
	type small struct {
		Title  string
		Author string
		Draft  int
		Score  float64
		Tags   []string
		Done   bool
	}
	type order struct {
		ID    string
		At    time.Time
		Items []small
		Notes map[string]any
		Next  *order
	}
	type tree struct {
		Name     string
		Children []*tree
	}
	one := small{Title: "the state of things", Author: "ada", Draft: 3, Score: 0.75, Tags: []string{"a", "b"}}
	var words []string
	var smalls []small
	members := map[string]any{}
	wide := &tree{Name: "root"}
	for i := range 1_000 {
		words = append(words, fmt.Sprintf("word %d", i))
		smalls = append(smalls, one)
		members[fmt.Sprint(i)] = map[string]any{"id": float64(i), "name": words[i], "tags": []any{"x", "y"}}
		wide.Children = append(wide.Children, &tree{Name: words[i]})
	}
	for _, c := range []struct {
		name  string
		value any
	}{
		{"small struct", one},
		{"order", order{ID: "17", At: time.Unix(0, 0), Items: []small{one}, Notes: map[string]any{"a": 1.0, "b": "c"}, Next: &order{}}},
		{"1,000 strings", words},
		{"1,000 structs", smalls},
		{"small map", map[string]any{"id": 1.0, "name": "one", "tags": []any{"x", "y"}}},
		{"1,000 maps", members},
		{"tree of 1,001", wide},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				raw, err := Marshal(c.value)
				if err != nil { // require would cost more than a small struct
					b.Fatal(err)
				}
				keepRaw = raw
			}
		})
	}
}

// keep holds a result, so that no benchmark is optimized away.
var keep Digest

func BenchmarkSum(b *testing.B) {
	small := `{"title":"the state of things","author":"ada","draft":3,"score":0.75,"tags":["a","b"],"done":false}`
	var members []string
	for i := range 9_000 {
		members = append(members, fmt.Sprintf(`"key%d":{"id":%d,"name":"member number %d","score":%d.5,"tags":["x","y"],"n":null}`, i, i, i, i))
	}
	for _, c := range []struct{ name, text string }{
		{"object of 100 B", small},
		{"string of 1 MB", `"` + strings.Repeat("plain text, and more. ", 1<<20/22) + `"`},
		{"string of 1 MB not ASCII", `"` + strings.Repeat("naïve 文字 text ", 1<<20/20) + `"`},
		{"string of 1 MB with escapes", `"` + strings.Repeat(`a line of some text\n`, 1<<20/21) + `"`},
		{"object of 1 MB", "{" + strings.Join(members, ",") + "}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.text)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				d, err := Sum(raw)
				if err != nil { // require would cost more than a short text
					b.Fatal(err)
				}
				keep = d
			}
		})
	}
}
