package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// serving runs serve as a process, on a store with one run, until the test ends: it
// must stop well at SIGTERM. It returns the address that it prints.
func serving(t *testing.T, flags ...string) (address string, stop func()) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "build"}))
	cmd := exec.Command("agentgraph", append([]string{"serve", "--addr", "127.0.0.1:0", "file:" + dir}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test fails first
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait())
	}
}

func TestServe(t *testing.T) {
	address, stop := serving(t)
	response, err := http.Get(address)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	stop()
	_, err = net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	require.Error(t, err)
}

// TestServeHosts: only names that are known get pages.
func TestServeHosts(t *testing.T) {
	address, stop := serving(t, "--host", "agents.example", "--host", "*.test")
	for host, status := range map[string]int{
		"localhost": http.StatusOK, "agents.example:8080": http.StatusOK, "a.test": http.StatusOK, "evil.example": http.StatusForbidden,
	} {
		r, err := http.NewRequest("GET", address, nil)
		require.NoError(t, err)
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, status, response.StatusCode, host)
		require.Equal(t, status != http.StatusOK, strings.Contains(string(text), "agentgraph serve --host NAME"), host)
	}
	stop()
}

func TestServeWhereSomebodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	code, _, told := call(t, t.TempDir(), false, "serve", "--addr", l.Addr().String())
	require.Equal(t, 1, code)
	require.Contains(t, told, "address already in use")
}

// TestServeEndsLivePages: a page that stays open does not keep the process.
func TestServeEndsLivePages(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, interrupt := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
	}()
	response, err := http.Get("http://" + l.Addr().String())
	require.NoError(t, err)
	defer response.Body.Close()
	interrupt()
	require.NoError(t, <-ended)
}
