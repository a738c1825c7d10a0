package review

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// ignoredErrors finds calls that stand alone as a statement though they return
// an error. It takes only what it is sure of: functions of the same package, of
// the standard library and local values, in files that a Linux machine builds.
// Deferred calls and `_ = f()` are deliberate, and some writes are never checked.
func ignoredErrors(std *standard) func(files []*file) []Finding {
	return func(files []*file) []Finding {
		var all []Finding
		for _, pkg := range packages(files, std) {
			info := check(pkg, std)
			for _, f := range pkg {
				all = append(all, ignoredIn(f, info)...)
			}
		}
		return all
	}
}

// packages groups the files that belong together, as a directory may hold the
// tests of a package from outside as well.
func packages(files []*file, std *standard) [][]*file {
	var all [][]*file
	for _, f := range files {
		if f.err != nil || !std.builds(f.Source) {
			continue
		}
		i := slices.IndexFunc(all, func(pkg []*file) bool { return pkg[0].syntax.Name.Name == f.syntax.Name.Name })
		if i < 0 {
			all = append(all, nil)
			i = len(all) - 1
		}
		all[i] = append(all[i], f)
	}
	return all
}

// check type-checks what it can. Whatever depends on an import that std does
// not know, or on a file that is not there, stays without a type.
func check(pkg []*file, std types.Importer) *types.Info {
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	syntax := make([]*ast.File, len(pkg))
	for i, f := range pkg {
		syntax[i] = f.syntax
	}
	config := types.Config{Importer: std, FakeImportC: true, Error: func(error) {}}
	_, _ = config.Check(pkg[0].syntax.Name.Name, pkg[0].fset, syntax, info)
	return info
}

func ignoredIn(f *file, info *types.Info) []Finding {
	var all []Finding
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		statement, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := ast.Unparen(statement.X).(*ast.CallExpr)
		if ok && returnsError(info.TypeOf(call)) && !harmless(call, info) {
			all = append(all, f.at(call.Pos(), "the error of %s is ignored", types.ExprString(call.Fun)))
		}
		return true
	})
	return all
}

// returnsError holds for an error and for a tuple with one. The type is nil
// where it is not known.
func returnsError(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		for v := range tuple.Variables() {
			if returnsError(v.Type()) {
				return true
			}
		}
		return false
	}
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// harmless holds for calls whose error nobody checks, or that may be another
// function than they seem.
func harmless(call *ast.CallExpr, info *types.Info) bool {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if method := info.Selections[selector]; method != nil {
		return promoted(method) || neverFails(method.Recv(), selector.Sel.Name)
	}
	fn, ok := info.Uses[selector.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return false
	}
	switch name := fn.FullName(); name {
	case "crypto/rand.Read", "math/rand.Read":
		return true
	case "io.WriteString":
		return len(call.Args) == 0 || neverFails(info.TypeOf(call.Args[0]), "WriteString")
	default:
		return strings.HasPrefix(name, "fmt.Print") || strings.HasPrefix(name, "fmt.Fprint")
	}
}

// promoted holds for a method of an embedded field. A method nearer by, in a
// file or package that is not known here, would go before it.
func promoted(method *types.Selection) bool { return len(method.Index()) > 1 }

// neverFails holds for writers and sources of random bytes that do not fail, or
// that keep their error for a later Flush, which is checked instead.
func neverFails(t types.Type, method string) bool {
	switch method {
	case "Read", "Write", "WriteByte", "WriteRune", "WriteString":
	default:
		return false
	}
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	switch types.TypeString(types.Unalias(t), nil) {
	case "math/rand.Rand", "math/rand/v2.ChaCha8", "crypto/sha3.SHA3", "crypto/sha3.SHAKE":
		return true
	case "bytes.Buffer", "strings.Builder", "bufio.Writer", "text/tabwriter.Writer",
		"hash.Hash", "hash.Hash32", "hash.Hash64", "hash/maphash.Hash":
		return method != "Read"
	}
	return false
}
