package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// call calls the command as from a terminal.
func call(t *testing.T, dir string, colour bool, args ...string) (code int, out, told string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{
		in: strings.NewReader(""), out: bufio.NewWriter(&stdout), err: &stderr,
		getenv: func(string) string { return "file:" + dir }, colour: colour, live: colour,
	}
	code = a.run(context.Background(), args)
	return code, stdout.String(), stderr.String()
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "ask"}))
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, []string{"runs"}},
		{0, []string{"--help"}},
		{0, nil},
		{1, []string{"show", "gone"}},
		{1, []string{"answer", "r", "gone", "1"}},
		{2, []string{"show"}},
		{2, []string{"show", "r", "--nonsense"}},
		{2, []string{"nonsense"}},
		{2, []string{"runs", "nonsense:"}},
		{2, []string{"log", "r", "x", "--json", "--sequence"}},
		{2, []string{"answer", "r", "approve", "1", "--json", "--text"}},
	} {
		code, _, _ := call(t, dir, false, c.args...)
		require.Equal(t, c.code, code, c.args)
	}
}

func TestColours(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "long name", "build"}))
	require.Zero(t, demo([]string{dir, "r", "broken"}))
	_, out, told := call(t, dir, true, "runs")
	lines := strings.Split(out, "\n")
	require.Contains(t, lines[1], "long name  \x1b[32mfinished\x1b[0m  1 ")
	require.Contains(t, lines[2], "r          \x1b[31mfailed\x1b[0m    1 ")
	require.Equal(t, "\r\x1b[Krun 1 of 2\r\x1b[Krun 2 of 2\r\x1b[K\r\x1b[K", told)
	_, out, _ = call(t, dir, true, "show", "r")
	require.Contains(t, out, "└─ build  \x1b[31merror\x1b[0m  ")
	_, out, told = call(t, dir, false, "runs")
	require.NotContains(t, out+told, "\x1b")
}

func TestColourful(t *testing.T) {
	for value, want := range map[string]bool{"": true, "1": false} {
		require.Equal(t, want, colourful(func(key string) string {
			if key == "NO_COLOR" {
				return value
			}
			return "xterm"
		}))
	}
	require.False(t, colourful(func(key string) string {
		if key == "TERM" {
			return "dumb"
		}
		return ""
	}))
}

// TestNonsense: a journal that is whole, but of something else.
func TestNonsense(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "build"}))
	store, err := filestore.Open(dir, nil)
	require.NoError(t, err)
	n := uint64(0)
	for r, err := range store.Read(context.Background(), "r", 0) {
		require.NoError(t, err)
		n = r.Seq
	}
	record := agentgraph.Record{Time: time.Now(), Kind: "step", Data: json.RawMessage(`{"by":[]}`)}
	require.NoError(t, store.Append(context.Background(), "r", n, record))
	require.NoError(t, store.Close())

	code, out, _ := call(t, dir, false, "doctor", "--salvage")
	require.Equal(t, 1, code)
	require.Contains(t, out, "run \"r\": journal is damaged: entry that makes no sense: ")
	require.Contains(t, out, "records before that saved as r.salvaged\n")
	code, out, _ = call(t, dir, false, "show", "r.salvaged")
	require.Zero(t, code)
	require.Contains(t, out, "r.salvaged (demo): finished")
	_, out, _ = call(t, dir, false, "runs")
	require.Contains(t, out, "r           damaged ")
}

// full is a place where nothing can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputIsFull(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, demo([]string{dir, "r", "build"}))
	for _, args := range [][]string{{"runs"}, {"show", "r"}, {"export", "r"}, {"explain", "r"}, {"plan", "r"}, {"doctor"}} {
		var told bytes.Buffer
		a := &app{in: strings.NewReader(""), out: bufio.NewWriter(full{}), err: &told, getenv: func(string) string { return "file:" + dir }}
		require.Equal(t, 1, a.run(context.Background(), args), args)
		require.Equal(t, "agentgraph: disk full\n", told.String())
	}
}

func FuzzReadArchive(f *testing.F) {
	var whole bytes.Buffer
	records := []agentgraph.Record{{Seq: 1, Time: time.Unix(0, 0).UTC(), Kind: "k", Data: json.RawMessage(`"<&>"`)}}
	require.NoError(f, writeArchive(&whole, "run", records))
	f.Add(whole.Bytes())
	f.Add([]byte("{\"agentgraph_run\":1,\"run_id\":\"r\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		runID, records, err := readArchive(bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, errArchive)
			return
		}
		var again bytes.Buffer
		require.NoError(t, writeArchive(&again, runID, records))
		sameID, same, err := readArchive(&again)
		require.NoError(t, err)
		require.Equal(t, runID, sameID)
		require.Equal(t, len(records), len(same))
	})
}

// TestArchiveChanged: no change of a byte of an archive goes unnoticed.
func TestArchiveChanged(t *testing.T) {
	var whole bytes.Buffer
	records := []agentgraph.Record{
		{Seq: 1, Time: time.Unix(0, 0).UTC(), Kind: "k", Data: json.RawMessage(`{"a":"<&>"}`)},
		{Seq: 2, Time: time.Unix(1, 0).UTC(), Kind: "k", Data: json.RawMessage(`[1]`)},
	}
	require.NoError(t, writeArchive(&whole, "run", records))
	_, got, err := readArchive(bytes.NewReader(whole.Bytes()))
	require.NoError(t, err)
	require.Equal(t, records, got)
	for i := range whole.Bytes() {
		for bit := range 8 {
			changed := bytes.Clone(whole.Bytes())
			changed[i] ^= 1 << bit
			id, got, err := readArchive(bytes.NewReader(changed))
			if err == nil { // a key in capitals is the same key to encoding/json
				require.Equal(t, "run", id)
				require.Equal(t, records, got)
				require.Greater(t, i, bytes.LastIndex(whole.Bytes(), []byte(`{"records"`)))
			}
		}
		_, _, err := readArchive(bytes.NewReader(whole.Bytes()[:i]))
		require.ErrorIs(t, err, errArchive)
	}
}
