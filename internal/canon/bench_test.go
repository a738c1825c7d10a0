package canon

import (
	"fmt"
	"strings"
	"testing"
)

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
