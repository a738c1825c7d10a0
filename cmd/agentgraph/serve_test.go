package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServe(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "build"}))
	read, write := io.Pipe()
	var told bytes.Buffer
	a := &app{in: strings.NewReader(""), out: bufio.NewWriter(write), err: &told, getenv: func(string) string { return "" }}
	ctx, interrupt := context.WithCancel(context.Background())
	code := make(chan int)
	go func() { code <- a.run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "file:" + dir}) }()

	address, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	response, err := http.Get(strings.TrimSpace(address))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	interrupt()
	require.Zero(t, <-code, told.String())
	_, err = net.Dial("tcp", strings.TrimPrefix(strings.TrimSpace(address), "http://"))
	require.Error(t, err)
}

// TestServeHosts: only names that are known get pages.
func TestServeHosts(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "build"}))
	read, write := io.Pipe()
	var told bytes.Buffer
	a := &app{in: strings.NewReader(""), out: bufio.NewWriter(write), err: &told, getenv: func(string) string { return "" }}
	ctx, interrupt := context.WithCancel(context.Background())
	code := make(chan int)
	go func() {
		code <- a.run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--host", "agents.example", "--host", "*.test", "file:" + dir})
	}()

	address, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	for host, status := range map[string]int{
		"localhost": http.StatusOK, "agents.example:8080": http.StatusOK, "a.test": http.StatusOK, "evil.example": http.StatusForbidden,
	} {
		r, err := http.NewRequest("GET", strings.TrimSpace(address), nil)
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
	interrupt()
	require.Zero(t, <-code, told.String())
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
