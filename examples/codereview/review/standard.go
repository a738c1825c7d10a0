package review

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// standard knows the packages of the standard library. It type-checks their
// source, each package once and without the bodies of functions: a second or
// two for the usual ones. Like every machine it sees them as on Linux, so that a
// review says the same everywhere.
type standard struct {
	build build.Context

	mu       sync.Mutex
	fset     *token.FileSet
	packages map[string]loaded
}

// loaded is the outcome of loading a package. A failure is kept as well, for
// it took as long.
type loaded struct {
	pkg *types.Package
	err error
}

func newStandard() *standard {
	s := &standard{build: build.Default, fset: token.NewFileSet(), packages: map[string]loaded{"unsafe": {pkg: types.Unsafe}}}
	s.build.GOOS, s.build.GOARCH, s.build.CgoEnabled = "linux", "amd64", false
	return s
}

// Import returns a package of the standard library; any other is an error.
func (s *standard) Import(name string) (*types.Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load(name)
}

// builds says whether a source is one of those that make up its package.
func (s *standard) builds(source Source) bool {
	context := s.build
	context.OpenFile = func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(source.Text)), nil
	}
	name := path.Base(source.Path)
	if !strings.HasSuffix(name, ".go") {
		name = "named.go"
	}
	ok, err := context.MatchFile("", name)
	return ok && err == nil
}

func (s *standard) load(name string) (*types.Package, error) {
	known, ok := s.packages[name]
	if !ok {
		known.pkg, known.err = s.check(name)
		s.packages[name] = known
	}
	return known.pkg, known.err
}

// check gives no package with an error, for a package that is known in part
// could be mistaken for another.
func (s *standard) check(name string) (*types.Package, error) {
	files, err := s.parse(name)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer(s.load), IgnoreFuncBodies: true}
	pkg, err := config.Check(name, s.fset, files, nil)
	if err != nil {
		return nil, err
	}
	return pkg, nil
}

func (s *standard) parse(name string) ([]*ast.File, error) {
	dir, err := s.dir(name)
	if err != nil {
		return nil, err
	}
	pkg, err := s.build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, base := range pkg.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(dir, base), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// dir is where a package's source is. The library keeps what it has from
// elsewhere in a vendor directory, and the go commands are no part of it.
func (s *standard) dir(name string) (string, error) {
	if fs.ValidPath(name) && !strings.HasPrefix(name, "cmd/") && s.build.GOROOT != "" {
		for _, parent := range []string{"src", "src/vendor"} {
			dir := filepath.Join(s.build.GOROOT, parent, name)
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in the standard library", name)
}

type importer func(name string) (*types.Package, error)

func (f importer) Import(name string) (*types.Package, error) { return f(name) }
