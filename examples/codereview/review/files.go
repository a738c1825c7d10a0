package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// read returns what a request is about, one part for each directory, in order: the
// sources that came with it, or what the disk has at its paths.
func read(ctx context.Context, r Request) ([]Part, error) {
	if len(r.Sources) > 0 {
		return split(r.Sources), nil
	}
	sources, err := Sources(ctx, disk{}, r)
	if err != nil {
		return nil, err
	}
	return split(sources), nil
}

// Sources reads what a request is about from files. A file is taken as named, a
// directory with all below it. A path that cannot be read, or paths without any
// source, are an error.
func Sources(ctx context.Context, files fs.FS, r Request) ([]Source, error) {
	var sources []Source
	for _, p := range r.Paths {
		found, err := readPath(ctx, files, root(p), r)
		if err != nil {
			return nil, plain(err)
		}
		sources = append(sources, found...)
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no Go files to review in %s", strings.Join(r.Paths, " "))
	}
	return sources, nil
}

// plain leaves out which system call failed: statat, say, tells nobody anything.
func plain(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return err
}

// disk is all files of the machine, by the names that people write.
type disk struct{}

func (disk) Open(name string) (fs.File, error) { return os.Open(name) }

func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// root is the directory that a pattern like ./... begins at, for people's hands
// are used to writing it.
func root(p string) string {
	if dir, ok := strings.CutSuffix(p, "..."); ok && (dir == "" || strings.HasSuffix(dir, "/")) {
		return filepath.Clean(dir)
	}
	return p
}

func readPath(ctx context.Context, files fs.FS, name string, r Request) ([]Source, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return readDir(ctx, files, name, r)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is neither a file nor a directory", name)
	}
	s, err := readFile(files, name)
	return []Source{s}, err
}

func readDir(ctx context.Context, files fs.FS, top string, r Request) ([]Source, error) {
	var sources []Source
	err := fs.WalkDir(files, top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && name != top && !r.enters(d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || !r.takes(d.Name()):
			return nil
		}
		s, err := readFile(files, name)
		if err == nil && (r.All || !generated(s)) {
			sources = append(sources, s)
		}
		return err
	})
	return sources, err
}

func (r Request) enters(dir string) bool {
	return !hidden(dir) && (r.All || dir != "vendor" && dir != "testdata")
}

func (r Request) takes(file string) bool {
	return !hidden(file) && strings.HasSuffix(file, ".go") && (r.Tests || !strings.HasSuffix(file, "_test.go"))
}

// hidden holds for what the go command passes over as well.
func hidden(name string) bool { return name[0] == '.' || name[0] == '_' }

// readFile makes the text valid UTF-8, for that is all that JSON can carry.
func readFile(files fs.FS, name string) (Source, error) {
	text, err := fs.ReadFile(files, name)
	return Source{filepath.ToSlash(filepath.Clean(name)), strings.ToValidUTF8(string(text), "\uFFFD")}, err
}

func generated(s Source) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", s.Text, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && ast.IsGenerated(f)
}

// split groups sources by directory, each file once, all in order.
func split(sources []Source) []Part {
	sources = slices.SortedFunc(slices.Values(sources), func(a, b Source) int { return comparePaths(a.Path, b.Path) })
	sources = slices.CompactFunc(sources, func(a, b Source) bool { return a.Path == b.Path })
	var parts []Part
	for _, s := range sources {
		dir := path.Dir(s.Path)
		if len(parts) == 0 || parts[len(parts)-1].Dir != dir {
			parts = append(parts, Part{Portion: Portion{N: len(parts) + 1, Dir: dir}})
		}
		last := &parts[len(parts)-1]
		last.Sources = append(last.Sources, s)
		last.Files++
	}
	for i := range parts {
		parts[i].Of = len(parts)
	}
	return parts
}

// comparePaths keeps the files of a directory together.
func comparePaths(a, b string) int {
	return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(a, b))
}
