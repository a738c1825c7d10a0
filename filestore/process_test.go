package filestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// TestMain is a child process when it is told a directory to append in.
func TestMain(m *testing.M) {
	if dir := os.Getenv("FILESTORE_CHILD"); dir != "" {
		if err := child(dir, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child appends to one run, after whatever is there, and prints each Seq that it
// was given, until it has appended as many as it is told or is killed.
func child(dir, name string) error {
	s, err := filestore.Open(dir, nil)
	if err != nil {
		return err
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	ctx, last := context.Background(), uint64(0)
	for done := 0; done < rounds; {
		data := fmt.Appendf(nil, `"%s %d"`, name, last+1)
		err := s.Append(ctx, "run", last, agentgraph.Record{Kind: name, Data: data})
		if err == nil {
			last++
			done++
			fmt.Println(last)
			continue
		}
		if !errors.Is(err, agentgraph.ErrConflict) {
			return err
		}
		for r, err := range s.Read(ctx, "run", last) {
			if err != nil {
				return err
			}
			last = r.Seq
		}
	}
	return s.Close()
}

func start(t *testing.T, dir, name string, rounds int) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], name, strconv.Itoa(rounds))
	cmd.Env = append(os.Environ(), "FILESTORE_CHILD="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, out
}

// won reads what a child prints: slots that it won.
func won(t *testing.T, out io.Reader, name string, into map[uint64]string) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		seq, err := strconv.ParseUint(lines.Text(), 10, 64)
		require.NoError(t, err)
		require.NotContains(t, into, seq, "two winners")
		into[seq] = name
	}
}

func requireWinners(t *testing.T, dir string, winners map[uint64]string) (n int) {
	t.Helper()
	for r, err := range open(t, dir).Read(context.Background(), "run", 0) {
		require.NoError(t, err)
		n++
		require.EqualValues(t, n, r.Seq)
		require.Equal(t, fmt.Sprintf(`"%s %d"`, r.Kind, n), string(r.Data))
		if winner, ok := winners[r.Seq]; ok {
			require.Equal(t, winner, r.Kind)
		}
	}
	for seq := range winners {
		require.LessOrEqual(t, seq, uint64(n), "an acknowledged record is lost")
	}
	return n
}

// TestProcesses: two processes append at once, and each slot has one winner.
func TestProcesses(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	dir := t.TempDir()
	winners := map[uint64]string{}
	a, outA := start(t, dir, "a", rounds)
	b, outB := start(t, dir, "b", rounds)
	var printed strings.Builder
	copied := make(chan error)
	go func() { _, err := io.Copy(&printed, outB); copied <- err }()
	won(t, outA, "a", winners)
	require.NoError(t, <-copied)
	won(t, strings.NewReader(printed.String()), "b", winners)
	require.NoError(t, a.Wait())
	require.NoError(t, b.Wait())
	require.Len(t, winners, 2*rounds)
	require.Equal(t, 2*rounds, requireWinners(t, dir, winners))
}

// TestKilled kills a child at random moments: what it was told is there is there.
func TestKilled(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 6
	}
	dir := t.TempDir()
	winners := map[uint64]string{}
	for i := range kills {
		name := fmt.Sprintf("c%d", i)
		cmd, out := start(t, dir, name, 1_000_000)
		began, copied := make(chan struct{}), make(chan string)
		go func() {
			first := make([]byte, 1)
			_, _ = io.ReadFull(out, first)
			close(began)
			rest, _ := io.ReadAll(out)
			copied <- string(first) + string(rest)
		}()
		<-began
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		text := <-copied
		_ = cmd.Wait()
		won(t, strings.NewReader(text[:strings.LastIndexByte(text, '\n')+1]), name, winners)
		requireWinners(t, dir, winners)
	}
	require.NotEmpty(t, winners)
}
