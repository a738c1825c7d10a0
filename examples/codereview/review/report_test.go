package review

import "testing"

func TestReport(t *testing.T) {
	at := func(file string, line, column int, kind string) Finding {
		return Finding{file, line, column, kind, "note", "a message"}
	}
	first := Summary{Portion{1, 2, "a", 2}, join([]Finding{at("a/x.go", 2, 1, "docs"), at("a/x.go", 10, 2, "docs"), at("a/y.go", 10, 1, "docs"), at("a/y.go", 10, 7, "length")})}
	second := Summary{Portion{2, 2, "a/b", 1}, join([]Finding{at("a/b/x.go", 1, 1, "docs")})}
	want := `a/x.go:2:1: note: a message (docs)
a/x.go:10:2: note: a message (docs)
a/y.go:10:1: note: a message (docs)
             note: a message (length)
a/b/x.go:1:1: note: a message (docs)

3 files in 2 directories: 5 findings at 4 places
       0 syntax
       4 docs
       1 length
`
	for _, parts := range [][]Summary{{first, second}, {second, first}} {
		if got := newReport(parts, []string{"syntax", "docs", "length"}).String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	want := "1 file in 1 directory: nothing found\n       0 docs\n"
	if got := newReport([]Summary{{Portion: Portion{1, 1, ".", 1}}}, []string{"docs"}).String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
