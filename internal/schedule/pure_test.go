package schedule

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPure type-checks this package and finds nothing in it that starts, waits,
// tells the time or takes its order from a map.
func TestPure(t *testing.T) {
	require.Empty(t, impurities(t, ".", nil))
}

// TestPureFinds breaks each rule once.
func TestPureFinds(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"func f() { go f() }", "go"},
		{"func f() { select {} }", "select"},
		{"func f(c chan int) { }", "channel"},
		{"func f() { _ = make(chan int) }", "channel"},
		{"func f(m map[int]int) { for range m { } }", "range over a map"},
		{"type m map[int]int; func f(x m) { for range x { } }", "range over a map"},
		{`import "time"; var _ = time.Now`, "import of time"},
		{`import "sync"; var _ sync.Mutex`, "import of sync"},
		{`import "context"; var _ context.Context`, "import of context"},
		{`import "github.com/seed-a2b66b4f/agentgraph"`, "import of github.com/seed-a2b66b4f/agentgraph"},
	} {
		require.Contains(t, impurities(t, "", []byte("package schedule; "+c.code)), c.want, c.code)
	}
}

// allowed is what the package may import: nothing that waits or knows the time.
var allowed = map[string]bool{"cmp": true, "math": true, "math/bits": true, "slices": true}

// impurities checks the package in a directory, or one file that is given.
func impurities(t *testing.T, dir string, source []byte) []string {
	fset := token.NewFileSet()
	files := parsed(t, fset, dir, source)
	var found []string
	for _, f := range files {
		for _, spec := range f.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); !allowed[path] {
				found = append(found, "import of "+path)
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	_, err := conf.Check("schedule", fset, files, info)
	require.NoError(t, err)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if what := impurity(n, info); what != "" {
				found = append(found, what)
			}
			return true
		})
	}
	return found
}

func parsed(t *testing.T, fset *token.FileSet, dir string, source []byte) []*ast.File {
	if source != nil {
		f, err := parser.ParseFile(fset, "given.go", source, 0)
		require.NoError(t, err)
		return []*ast.File{f}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, 0)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	require.NotEmpty(t, files)
	return files
}

func impurity(n ast.Node, info *types.Info) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go"
	case *ast.SelectStmt:
		return "select"
	case *ast.ChanType, *ast.SendStmt:
		return "channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "channel"
		}
	case *ast.RangeStmt:
		switch info.TypeOf(n.X).Underlying().(type) {
		case *types.Map:
			return "range over a map"
		case *types.Chan:
			return "channel"
		}
	}
	return ""
}
