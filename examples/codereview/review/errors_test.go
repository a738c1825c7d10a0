package review

import "testing"

func TestErrorsFound(t *testing.T) {
	testReviewer(t, "errors", []testCase{
		{"same file", []string{`package a
func f() error { return nil }
func g() (int, error) { return 0, nil }
func h() {
	f()
	g()
	(f())
	func() { f() }()
}`}, []string{
			"a.go:5:2 the error of f is ignored",
			"a.go:6:2 the error of g is ignored",
			"a.go:7:3 the error of f is ignored",
			"a.go:8:11 the error of f is ignored",
		}},
		{"another file", []string{"package a\nfunc f() { T{}.m() }\n", "package a\ntype T struct{}\nfunc (T) m() error { return nil }\n"}, []string{
			"a.go:2:12 the error of T{}.m is ignored",
		}},
		{"standard library", []string{`package a
import ("bufio"; "bytes"; "io"; "os")
func f(w *bufio.Writer, r io.ReadCloser, m map[string]func() error) {
	os.Remove("x")
	w.Flush()
	io.Copy(w, r)
	io.WriteString(os.Stdout, "x")
	r.Close()
	m["x"]()
	new(bytes.Buffer).Read(nil)
}`}, []string{
			"a.go:4:2 the error of os.Remove is ignored",
			"a.go:5:2 the error of w.Flush is ignored",
			"a.go:6:2 the error of io.Copy is ignored",
			"a.go:7:2 the error of io.WriteString is ignored",
			"a.go:8:2 the error of r.Close is ignored",
			`a.go:9:2 the error of m["x"] is ignored`,
			"a.go:10:2 the error of new(bytes.Buffer).Read is ignored",
		}},
		{"generic", []string{"package a\nfunc f[T any](t T) (T, error) { return t, nil }\nfunc g() { f(1); f[int](2) }\n"}, []string{
			"a.go:3:12 the error of f is ignored",
			"a.go:3:18 the error of f[int] is ignored",
		}},
		{"beside an unknown import", []string{"package a\nimport \"example.com/x\"\nfunc f() error { return nil }\nfunc g() { f(); x.F() }\n"}, []string{
			"a.go:4:12 the error of f is ignored",
		}},
		{"two packages in one directory", []string{"package a\nfunc f() error { return nil }\nfunc g() { f() }\n", "package a_test\nfunc f() {}\nfunc k() error { return nil }\nfunc h() { f(); k() }\n"}, []string{
			"a.go:3:12 the error of f is ignored",
			"b.go:4:17 the error of k is ignored",
		}},
	})
}

func TestErrorsNotClaimed(t *testing.T) {
	testReviewer(t, "errors", []testCase{
		{"taken, or left on purpose", []string{`package a
func f() error { return nil }
func g() (int, error) { return 0, nil }
func h() error {
	_ = f()
	n, _ := g()
	_ = n
	defer f()
	go f()
	return f()
}`}, nil},
		{"never fails", []string{`package a
import ("bufio"; "bytes"; crypto "crypto/rand"; "crypto/sha256"; "fmt"; "hash"; "io"; "math/rand"; "os"; "strings")
func f(b *bytes.Buffer, h hash.Hash, w *bufio.Writer, r *rand.Rand) {
	fmt.Println("x")
	fmt.Fprintf(os.Stderr, "x")
	b.WriteString("x")
	var s strings.Builder
	s.WriteByte('x')
	io.WriteString(&s, "x")
	h.Write(nil)
	sha256.New().Write(nil)
	w.WriteString("x")
	r.Read(nil)
	crypto.Read(nil)
}`}, nil},
		{"no error", []string{"package a\nfunc f() int { return 1 }\nfunc g() { f(); println(); panic(1) }\n"}, nil},
		{"an error type of one's own", []string{"package a\ntype error interface{}\nfunc f() error { return nil }\nfunc g() { f() }\n"}, nil},
		{"not declared here", []string{"package a\nfunc g() { f(); x.Close() }\n"}, nil},
		{"unknown import under a known name", []string{"package a\nimport \"example.com/os\"\nfunc g() { os.Remove(\"x\") }\n"}, nil},
		{"unknown promotion", []string{"package a\nimport (\"os\"; \"example.com/x\")\ntype mid struct{ *os.File }\ntype T struct { x.Base; mid }\nfunc g(t T) { t.Close() }\n"}, nil},
		{"another machine", []string{"//go:build windows\n\npackage a\nfunc f() error { return nil }\nfunc h() { f() }\n", "package a\nfunc f() {}\nfunc g() { f() }\n"}, nil},
		{"does not parse", []string{"package a\nfunc f() error { return nil }\nfunc g() { f() }\n}"}, nil},
		{"does not type-check", []string{"package a\nimport \"io\"\nfunc g() { io.WriteString() }\n"}, nil},
	})
}

func TestStandardIsTheStandardLibraryAlone(t *testing.T) {
	std := newStandard()
	for _, name := range []string{"example.com/x", "", "..", "../src/errors", "/etc", "cmd/internal/edit", "nosuch"} {
		for range 2 {
			if pkg, err := std.Import(name); err == nil {
				t.Errorf("%q gave %v", name, pkg)
			}
		}
	}
	if pkg, err := std.Import("errors"); err != nil || pkg.Scope().Lookup("New") == nil {
		t.Errorf("errors gave %v, %v", pkg, err)
	}
}
