package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/seed-a2b66b4f/agentgraph"
)

// File is a file as it stands in the folder. It is input of the step that reads it:
// when it changes, that step runs again, and no other.
type File struct {
	Name    string    `json:"name"`
	Size    int64     `json:"size"`
	Changed time.Time `json:"changed"`
}

// Facts are what is kept of a file.
type Facts struct {
	Hash  string `json:"hash"`
	Words int    `json:"words"`
}

// readFolder is the whole work: a step for each file, all at once, and a summary.
// What stands outside of steps, such as the listing, is done in every attempt.
func readFolder(s *agentgraph.Step) error {
	folder, err := agentgraph.Get[string](s, "folder")
	if err != nil {
		return err
	}
	files, err := list(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		s.Go(f.Name, func(s *agentgraph.Step) error { return readFile(s, folder, f) }, agentgraph.Input("file", f))
	}
	if err := s.Wait(); err != nil { // and take over what they found
		return err
	}
	return s.Step("summary", func(s *agentgraph.Step) error { return summarise(s, files) })
}

// list returns the files of a folder, in order of name. It looks into no folder in it.
func list(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files = append(files, File{e.Name(), info.Size(), info.ModTime().UTC()})
	}
	return files, nil
}

// readFile fetches a file and looks at it, each in a step of its own. Then it keeps
// the facts and drops the rest, for the files next to it use the same names.
func readFile(s *agentgraph.Step, folder string, f File) error {
	text, err := agentgraph.Do(s, "fetch", func(context.Context) ([]byte, error) {
		return os.ReadFile(filepath.Join(folder, f.Name))
	})
	if err != nil {
		return err
	}
	hash, err := agentgraph.Do(s, "hash", func(context.Context) (string, error) {
		return fmt.Sprintf("%x", sha256.Sum256(text)), nil
	})
	if err != nil {
		return err
	}
	words, err := agentgraph.Do(s, "words", func(context.Context) (int, error) {
		if !utf8.Valid(text) {
			return 0, fmt.Errorf("%s is not UTF-8 text", f.Name)
		}
		return len(bytes.Fields(text)), nil
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"fetch", "hash", "words"} {
		s.Delete(name)
	}
	s.Set(f.artifact(), Facts{hash, words})
	return nil
}

func (f File) artifact() string { return "facts of " + f.Name }

// summarise says how much there is, and which files are the same.
func summarise(s *agentgraph.Step, files []File) error {
	var lines []string
	words, first := 0, map[string]string{} // the first file with a hash
	for _, f := range files {
		facts, err := agentgraph.Get[Facts](s, f.artifact())
		if err != nil {
			return err
		}
		words += facts.Words
		if other, ok := first[facts.Hash]; ok {
			lines = append(lines, f.Name+" is the same as "+other)
			continue
		}
		first[facts.Hash] = f.Name
	}
	s.Set("summary", append(lines, fmt.Sprintf("%d files, %d words", len(files), words)))
	return nil
}
