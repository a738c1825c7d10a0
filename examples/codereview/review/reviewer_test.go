package review

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// team is one team for all tests, as it has a library to read first.
var team = sync.OnceValue(func() []reviewer { return reviewers(newStandard()) })

// testCase is a source, or several, and what one reviewer says about them.
type testCase struct {
	name    string
	sources []string // a.go, b.go, ...
	want    []string // "a.go:1:1 message"
}

func testReviewer(t *testing.T, kind string, cases []testCase) {
	t.Helper()
	team := team()
	r := team[slices.IndexFunc(team, func(r reviewer) bool { return r.kind == kind })]
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var p Part
			for i, text := range c.sources {
				p.Sources = append(p.Sources, Source{string(rune('a'+i)) + ".go", text})
			}
			got := places(t, r, p)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func places(t *testing.T, r reviewer, p Part) []string {
	t.Helper()
	var all []string
	for _, f := range r.review(p) {
		if f.Kind != r.kind || f.Severity != r.severity {
			t.Errorf("finding of %s: %+v", r.kind, f)
		}
		all = append(all, fmt.Sprintf("%s:%d:%d %s", f.File, f.Line, f.Column, f.Message))
	}
	return all
}

func TestSyntax(t *testing.T) {
	testReviewer(t, "syntax", []testCase{
		{"good", []string{"package a\n"}, nil},
		{"first error only", []string{"package a\n\nfunc f( {\n}\n}\nvar\n"}, []string{"a.go:3:9 does not parse: expected ')', found '{'"}},
		{"empty", []string{""}, []string{"a.go:1:1 does not parse: expected 'package', found 'EOF'"}},
		{"line comment", []string{"package a\n//line other.go:70\nfunc\n"}, []string{"a.go:4:1 does not parse: expected 'IDENT', found 'EOF'"}},
		{"beside a good one", []string{"package a", "package"}, []string{"b.go:1:8 does not parse: expected 'IDENT', found 'EOF'"}},
	})
}

// function is one with n lines.
func function(head string, n int) string {
	return head + " {\n" + strings.Repeat("\tprintln()\n", n-2) + "}\n"
}

func TestLength(t *testing.T) {
	testReviewer(t, "length", []testCase{
		{"at the limit", []string{"package a\n" + function("func f()", 60)}, nil},
		{"over it", []string{"package a\n" + function("func f()", 61)}, []string{"a.go:2:6 function f is 61 lines long, more than 60"}},
		{"method", []string{"package a\ntype T[P any] int\n" + function("func (t *T[P]) M()", 70)}, []string{"a.go:3:16 method T.M is 70 lines long, more than 60"}},
		{"comment before it", []string{"package a\n" + strings.Repeat("// f\n", 50) + function("func f()", 20)}, nil},
		{"no body", []string{"package a\nfunc f()\n"}, nil},
		{"does not parse", []string{"package a\n" + function("func f()", 61) + "}"}, nil},
	})
}

func TestNesting(t *testing.T) {
	four := "package a\nfunc f(x []int, c chan int) {\nfor range x {\nif true {\nswitch {\ncase true:\nselect {\ncase <-c:\n%s}\n}\n}\n}\n}\n"
	testReviewer(t, "nesting", []testCase{
		{"at the limit", []string{fmt.Sprintf(four, "")}, nil},
		{"over it", []string{fmt.Sprintf(four, "for {\n}\nif true {\n}\n")}, []string{"a.go:9:1 function f nests 5 deep here, more than 4"}},
		{"deepest", []string{fmt.Sprintf(four, "for {\n}\nif true {\nfor {\n}\n}\n")}, []string{"a.go:12:1 function f nests 6 deep here, more than 4"}},
		{"inside a literal", []string{fmt.Sprintf(four, "go func() { for {} }()\n")}, []string{"a.go:9:13 function f nests 5 deep here, more than 4"}},
		{"else if is one level", []string{"package a\nfunc f(i int) {\n" + strings.Repeat("if i > 0 {\n} else ", 9) + "{\n}\n}\n"}, nil},
		{"side by side", []string{"package a\nfunc f() {\n" + strings.Repeat("for {\n}\n", 9) + "}\n"}, nil},
	})
}

func TestDocs(t *testing.T) {
	testReviewer(t, "docs", []testCase{
		{"bare", []string{"package a\nfunc F() {}\ntype T int\nfunc (T) M() {}\nvar V, w, X int\nconst C = 1\n"}, []string{
			"a.go:2:6 exported function F has no comment",
			"a.go:3:6 exported type T has no comment",
			"a.go:4:10 exported method T.M has no comment",
			"a.go:5:5 exported var V has no comment",
			"a.go:5:11 exported var X has no comment",
			"a.go:6:7 exported const C has no comment",
		}},
		{"documented", []string{"package a\n// F is f.\nfunc F() {}\n/* T is t. */\ntype T int\nvar V int // V is v.\n// Names.\nconst (\nA = 1\nB = 2\n)\nconst (\n// C is c.\nC = 1\nD = 2 // D is d.\n)\n"}, nil},
		{"directive is no comment", []string{"package a\n//go:noinline\nfunc F() {}\n"}, []string{"a.go:3:6 exported function F has no comment"}},
		{"comment apart", []string{"package a\n// F is f.\n\nfunc F() {}\n"}, []string{"a.go:4:6 exported function F has no comment"}},
		{"not exported", []string{"package a\nfunc f() {}\ntype t int\nfunc (t) M() {}\nvar _ = 1\n"}, nil},
		{"command", []string{"package main\nfunc F() {}\n"}, nil},
	})
}

func TestDocsPassOverTests(t *testing.T) {
	p := Part{Sources: []Source{{"a_test.go", "package a\nfunc TestF() {}\n"}}}
	if got := inEach(undocumented)(parse(p.Sources)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestTodos(t *testing.T) {
	testReviewer(t, "todos", []testCase{
		{"forms", []string{"package a\n// TODO: one\n\n// FIXME(ann): two\n\n// XXX three\n\nvar x = 1 // HACK(bob) four\n\n// TODO\n"}, []string{
			"a.go:2:1 TODO left: one",
			"a.go:4:1 FIXME left: two",
			"a.go:6:1 XXX left: three",
			"a.go:8:11 HACK left: four",
			"a.go:10:1 TODO left in a comment",
		}},
		{"further down", []string{"package a\n// F does f.\n// TODO: more\n// TODO(x)\n/* G\n * TODO: stars */\n"}, []string{
			"a.go:3:1 TODO left: more",
			"a.go:4:1 TODO left in a comment",
			"a.go:6:1 TODO left: stars",
		}},
		{"not meant", []string{"package a\n// Finds every\n// TODO that is left, and all TODO: too.\n// Todo: small\n// TODOS: many\n\n/* Finds every\n * TODO that is left. */\nvar x = \"// TODO: text\"\n"}, nil},
		{"control characters", []string{"package a\n// TODO: a\x1b[31mb\n"}, []string{"a.go:2:1 TODO left: a [31mb"}},
		{"line comment", []string{"package a\n//line other.go:70\n// TODO: x\n"}, []string{"a.go:3:1 TODO left: x"}},
	})
}
