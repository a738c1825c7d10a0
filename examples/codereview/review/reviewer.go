package review

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// reviewer looks for one kind of thing in the sources of a directory.
type reviewer struct {
	kind     string // its name in the team, and what its findings are called
	severity string
	find     func(files []*file) []Finding // fills in place and message
}

// reviewers is the team. Adding one here is all it takes to hire it.
func reviewers(std *standard) []reviewer {
	return []reviewer{
		{"syntax", "error", broken},
		{"errors", "warning", ignoredErrors(std)},
		{"length", "note", inEach(longFuncs)},
		{"nesting", "note", inEach(deepFuncs)},
		{"docs", "note", inEach(undocumented)},
		{"todos", "note", inEach(leftToDo)},
	}
}

func kinds(team []reviewer) []string {
	names := make([]string, len(team))
	for i, r := range team {
		names[i] = r.kind
	}
	return names
}

// review returns what the reviewer finds in a part, in order of place.
func (r reviewer) review(p Part) []Finding {
	findings := r.find(parse(p.Sources))
	for i := range findings {
		findings[i].Kind, findings[i].Severity = r.kind, r.severity
	}
	slices.SortFunc(findings, Finding.compare)
	return findings
}

// inEach looks at each file that parses by itself.
func inEach(find func(f *file) []Finding) func(files []*file) []Finding {
	return func(files []*file) []Finding {
		var all []Finding
		for _, f := range files {
			if f.err == nil {
				all = append(all, find(f)...)
			}
		}
		return all
	}
}

// file is a source, parsed. Where err is not nil, the syntax is not to be relied on.
type file struct {
	Source
	fset   *token.FileSet // of all files of the part
	syntax *ast.File
	err    error
}

func parse(sources []Source) []*file {
	fset := token.NewFileSet()
	files := make([]*file, len(sources))
	for i, s := range sources {
		syntax, err := parser.ParseFile(fset, s.Path, s.Text, parser.ParseComments|parser.SkipObjectResolution)
		files[i] = &file{s, fset, syntax, err}
	}
	return files
}

// line is where pos is in the file itself, whatever //line comments say.
func (f *file) line(pos token.Pos) int {
	return f.fset.PositionFor(pos, false).Line
}

func (f *file) at(pos token.Pos, format string, args ...any) Finding {
	p := f.fset.PositionFor(pos, false)
	return Finding{File: f.Path, Line: p.Line, Column: p.Column, Message: fmt.Sprintf(format, args...)}
}

// compare orders findings by place, and by kind at one place.
func (a Finding) compare(b Finding) int {
	return cmp.Or(
		comparePaths(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Message, b.Message),
	)
}

// funcs are the functions of a file that have a body.
func (f *file) funcs() []*ast.FuncDecl {
	var all []*ast.FuncDecl
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			all = append(all, fn)
		}
	}
	return all
}

// title is "function F" or "method T.F".
func title(fn *ast.FuncDecl) string {
	if name := receiver(fn); name != "" {
		return "method " + name + "." + fn.Name.Name
	}
	return "function " + fn.Name.Name
}

// receiver is the name of the type that a method belongs to; empty for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch u := t.(type) {
		case *ast.StarExpr:
			t = u.X
		case *ast.ParenExpr:
			t = u.X
		case *ast.IndexExpr:
			t = u.X
		case *ast.IndexListExpr:
			t = u.X
		case *ast.Ident:
			return u.Name
		default:
			return ""
		}
	}
}
