package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A file that is no text fails the work. What was done stays done; once the file is
// mended, it alone is read again.
func TestResume(t *testing.T) {
	letters, err := filepath.Abs("testdata/letters")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.CopyFS("letters", os.DirFS(letters)))
	good, err := os.ReadFile("letters/bob.txt")
	require.NoError(t, err)
	write(t, "letters/bob.txt", strings.ReplaceAll(string(good), "é", "\xe9"))

	broken := attempt(t)
	write(t, "letters/bob.txt", string(good))
	mended := attempt(t)
	require.NoError(t, os.Remove("letters/bob.txt"))
	write(t, "letters/copy.txt", "Dear Bob, wait!\n")
	changed := attempt(t)

	golden(t, filepath.Dir(letters), "broken", broken)
	golden(t, filepath.Dir(letters), "mended", mended)
	require.True(t, strings.HasPrefix(changed, upTo(mended, "copy.txt is")), "earlier attempts stay as they were")
	require.Equal(t, `attempt 3
    ann.txt: cached
    copy.txt: executed
        fetch: executed
        hash: executed
        words: executed
    summary: executed
2 files, 15 words
`, changed[len(upTo(changed, "attempt 3")):])
}

func TestResumeNoFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.Equal(t, "attempt 1\nagentgraph: run \"letters\", attempt 1: open letters: no such file or directory\n", attempt(t))
}

// attempt returns what the program prints about the folder letters.
func attempt(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	if err := resume(t.Context(), "store", "letters", &out); err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String()
}

func upTo(text, mark string) string {
	before, _, _ := strings.Cut(text, mark)
	return before
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func golden(t *testing.T, dir, name, got string) {
	t.Helper()
	file := filepath.Join(dir, name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
