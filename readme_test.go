package agentgraph_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadme: each block of Go code in the README stands in a file that is
// compiled and run, each output there too, and the commands do what they should.
func TestReadme(t *testing.T) {
	tree, store := sources(t), t.TempDir()
	for _, b := range blocks(t, "README.md") {
		switch b.language { // what commands print may come as text after them
		case "go", "text", "mermaid":
			require.Contains(t, tree, plainly(b.text), "a block that nothing tests")
		case "sh":
			tree += commands(t, strings.ReplaceAll(b.text, "STORE", store))
		default:
			t.Errorf("a block of %q", b.language)
		}
	}
}

type block struct{ language, text string }

func blocks(t *testing.T, file string) []block {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var found []block
	parts := strings.Split("\n"+string(data), "\n```")
	require.Equal(t, 1, len(parts)%2, "an open block")
	for i := 1; i < len(parts); i += 2 {
		language, text, _ := strings.Cut(parts[i], "\n")
		found = append(found, block{language, text})
	}
	require.NotEmpty(t, found)
	return found
}

// sources is all Go and golden files, plain.
func sources(t *testing.T) string {
	var all strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if path == ".git" && d.IsDir() {
			return fs.SkipDir // others may be at it
		}
		if ext := filepath.Ext(path); err != nil || ext != ".go" && ext != ".golden" {
			return err
		}
		data, err := os.ReadFile(path)
		all.WriteString(plainly(string(data)))
		return err
	})
	require.NoError(t, err)
	return all.String()
}

// plainly drops what an Example has around its lines: indentation and comments.
func plainly(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimLeft(line, "\t"), "// ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// commands runs what is not running already and returns what it prints.
func commands(t *testing.T, text string) string {
	var all strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		if line == "go test ./..." {
			continue // this test is run by it
		}
		words := strings.Fields(line)
		require.Equal(t, []string{"go", "run"}, words[:2])
		out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
		all.WriteString(plainly(string(out)))
	}
	return all.String()
}
