package review

import (
	"go/ast"
	"strings"
)

// undocumented finds exported names without a comment. Nobody imports a command
// or a test, so those are passed over. The comment of a group counts for all in it.
func undocumented(f *file) []Finding {
	if f.syntax.Name.Name == "main" || strings.HasSuffix(f.Path, "_test.go") {
		return nil
	}
	var all []Finding
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if exported(d) && d.Doc.Text() == "" {
				all = append(all, f.at(d.Name.Pos(), "exported %s has no comment", title(d)))
			}
		case *ast.GenDecl:
			if d.Doc.Text() == "" {
				all = append(all, undocumentedSpecs(f, d)...)
			}
		}
	}
	return all
}

// exported holds for a function that other packages can call; a method of an
// unexported type does not show in the documentation.
func exported(fn *ast.FuncDecl) bool {
	return fn.Name.IsExported() && (fn.Recv == nil || ast.IsExported(receiver(fn)))
}

func undocumentedSpecs(f *file, d *ast.GenDecl) []Finding {
	var all []Finding
	for _, spec := range d.Specs {
		for _, name := range bare(spec) {
			if name.IsExported() {
				all = append(all, f.at(name.Pos(), "exported %s %s has no comment", d.Tok, name.Name))
			}
		}
	}
	return all
}

// bare returns the names of a spec that has no comment, above or beside it.
func bare(spec ast.Spec) []*ast.Ident {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Doc.Text()+s.Comment.Text() == "" {
			return []*ast.Ident{s.Name}
		}
	case *ast.ValueSpec:
		if s.Doc.Text()+s.Comment.Text() == "" {
			return s.Names
		}
	}
	return nil
}
