package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The report is the one that the command prints.
func TestReport(t *testing.T) {
	f := start(t, t.TempDir(), 1, 0)
	code, text := f.send(t, http.MethodPost, "/reviews/shop", `{"paths": ["./testdata/shop/..."]}`)
	require.Equal(t, http.StatusAccepted, code)
	require.Equal(t, "handed in as \"shop\"\n", text)
	golden, err := os.ReadFile(root + "/testdata/shop.golden")
	require.NoError(t, err)
	require.Equal(t, string(golden), f.get(t, "/reviews/shop/report"))

	_, text = f.send(t, http.MethodPost, "/reviews/mine", `{"sources": [{"path": "a.go", "text": "package a\n\nfunc F() {}\n"}]}`)
	require.Equal(t, "handed in as \"mine\"\n", text)
	require.True(t, strings.HasPrefix(f.get(t, "/reviews/mine/report"),
		"a.go:3:6: note: exported function F has no comment (docs)\n\n1 file in 1 directory: 1 finding at 1 place\n"))
}

// An ID that was handed in before stays the review that it was, and who hands it in
// again is told.
func TestHandedInAgain(t *testing.T) {
	f := start(t, t.TempDir(), 1, 0)
	first := `{"sources": [{"path": "a.go", "text": "package a\n\nfunc F() {}\n"}]}`
	code, text := f.send(t, http.MethodPost, "/reviews/mine", first)
	require.Equal(t, http.StatusAccepted, code, text)
	for _, again := range []string{first, `{"paths": ["testdata/shop"]}`} {
		code, text = f.send(t, http.MethodPost, "/reviews/mine", again)
		require.Equal(t, http.StatusOK, code, text)
		require.Equal(t, "\"mine\" was handed in before, and stays the review that it was\n", text)
		require.Contains(t, f.get(t, "/reviews/mine/report"), "1 file in 1 directory: 1 finding at 1 place\n")
	}
}

// A path is refused by its name, and not by that of a system call.
func TestNoSuchPath(t *testing.T) {
	f := start(t, t.TempDir(), 0, 0)
	code, text := f.send(t, http.MethodPost, "/reviews/a", `{"paths": ["testdata/nosuch"]}`)
	require.Equal(t, http.StatusBadRequest, code)
	require.Equal(t, "testdata/nosuch: no such file or directory\n", text)
}

func TestRefused(t *testing.T) {
	f := start(t, t.TempDir(), 0, 0)
	sized := func(n int) string { return `{"sources": [{"path": "a.go", "text": "` + strings.Repeat("a", n) + `"}]}` }
	for _, c := range []struct {
		name, method, path, body string
		code                     int
		text                     string // in the answer
	}{
		{"no JSON", http.MethodPost, "/reviews/a", "shop", http.StatusBadRequest, "request: invalid character 's'"},
		{"unknown field", http.MethodPost, "/reviews/a", `{"path": "shop"}`, http.StatusBadRequest, `request: json: unknown field "path"`},
		{"nothing", http.MethodPost, "/reviews/a", `{}`, http.StatusBadRequest, "no Go files to review in "},
		{"path outside", http.MethodPost, "/reviews/a", `{"paths": ["main.go", "../main.go"]}`, http.StatusBadRequest, `"../main.go" is not a path below`},
		{"long body", http.MethodPost, "/reviews/a", sized(maxBody), http.StatusRequestEntityTooLarge, "request: http: request body too large"},
		{"long for a message", http.MethodPost, "/reviews/a", sized(maxBody - 1000), http.StatusRequestEntityTooLarge, "input is too large"},
		{"bad run ID", http.MethodPost, "/reviews/a%0A", `{"paths": ["main.go"]}`, http.StatusBadRequest, "run ID"},
		{"no such run", http.MethodGet, "/reviews/a", "", http.StatusNotFound, "no such run"},
		{"no report", http.MethodGet, "/reviews/a/report", "", http.StatusNotFound, "no such run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, text := f.send(t, c.method, c.path, c.body)
			require.Equal(t, c.code, code, text)
			require.Contains(t, text, c.text)
		})
	}
}
