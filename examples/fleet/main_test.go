package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain is the program itself in the processes that it starts.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-worker") {
		main()
		return
	}
	os.Exit(m.Run())
}

// fleet is the program under test, with its workers in processes of their own.
type fleet struct {
	url  string
	out  *output
	stop func() // and wait for it
}

// start begins the program on a directory, which may be that of an earlier one.
func start(t *testing.T, dir string, workers int, slow time.Duration) *fleet {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &fleet{out: &output{}}
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, settings{addr: "127.0.0.1:0", root: root, dir: dir, workers: workers, slow: slow}, f.out)
	}()
	f.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(f.stop)
	f.url = f.out.await(t, regexp.MustCompile(`The fleet is up: (.*)`))[1]
	return f
}

// root is the directory of the code that is reviewed.
const root = "../codereview"

// send makes a request, and returns the code and the text of the answer.
func (f *fleet) send(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, f.url+path, strings.NewReader(body))
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// get is the text of a page that is there.
func (f *fleet) get(t *testing.T, path string) string {
	t.Helper()
	code, text := f.send(t, http.MethodGet, path, "")
	require.Equal(t, http.StatusOK, code, text)
	return text
}

// worker waits for the process that begins an attempt at a run.
func (f *fleet) worker(t *testing.T, run string, attempt int) *os.Process {
	t.Helper()
	line := regexp.MustCompile(`msg="run began" process=(\d+) .*run=` + run + ` attempt=` + strconv.Itoa(attempt) + `\n`)
	pid, err := strconv.Atoi(f.out.await(t, line)[1])
	require.NoError(t, err)
	process, err := os.FindProcess(pid)
	require.NoError(t, err)
	return process
}

// output waits for what the program prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits for a line, and returns what is in its groups.
func (o *output) await(t *testing.T, line *regexp.Regexp) (found []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		found = line.FindStringSubmatch(o.String())
		return found != nil
	}, patience, time.Millisecond, "no line %s", line)
	return found
}

// patience is after how long a test gives up on what should have come.
const patience = time.Minute
