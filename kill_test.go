package agentgraph_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

var kills = flag.Int("kills", 100, "how often TestKills kills its child")

// TestMain is a child process when it is told a directory to work in.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AGENTGRAPH_CHILD"); dir != "" {
		if err := child(dir, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs the flow on files and prints what it came to. On its way it says which
// steps have returned, and so are acknowledged, and which bodies have begun.
func child(dir string, out io.Writer) error {
	store, err := filestore.Open(dir, nil)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "born")
	result, err := flowToKill(store, func(line string) {
		fmt.Fprintln(out, line)
		time.Sleep(time.Millisecond) // a moment in which to be killed
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(result)
	fmt.Fprintln(out, "result "+string(text))
	return errors.Join(err, store.Close())
}

// flowToKill has steps one after the other and at once, an agent with a state, and
// a meeting.
func flowToKill(store agentgraph.Store, say func(string)) (any, error) {
	agent := &abacus{}
	var log []agentgraph.Post[string]
	tell := func(name string) func(*agentgraph.Step) error {
		return func(s *agentgraph.Step) error {
			say("begun " + name)
			n, err := agentgraph.Get[int](s, "n")
			s.Set("n", n+1)
			return err
		}
	}
	result, err := flowOn(store, func(s *agentgraph.Step) error {
		for i := range 6 {
			name := fmt.Sprint("step", i)
			if err := s.Step(name, tell(name)); err != nil {
				return err
			}
			say("acknowledged " + name)
			if err := s.StepAgent(agent); err != nil {
				return err
			}
		}
		for i := range 4 {
			s.Go(fmt.Sprint("go", i), sets(fmt.Sprint("go", i), i))
		}
		if err := s.Wait(); err != nil {
			return err
		}
		s.Set("uses", agent.n)
		var err error
		log, err = agentgraph.RunMeeting(s, "meet", roomToKill(), []agentgraph.Post[string]{agentgraph.NewPost("u", []string{"c"}, "x")})
		return err
	})
	return []any{result, log}, err
}

// roomToKill is a meeting of some 25 turns, two at a time.
func roomToKill() *agentgraph.Roster[string] {
	type post = agentgraph.Post[string]
	short := agentgraph.Atomic(agentgraph.Machine(0, func(n int, in post) (int, []post) {
		if n == 8 {
			return n, nil
		}
		return n + 1, []post{{Body: fmt.Sprint(in.Body[:1], n)}}
	}))
	r, err := agentgraph.ToRoster(agentgraph.Bus([]string{"a", "b", "c"}, "c"), agentgraph.Registry[string]{"a": short, "b": short, "c": short})
	if err != nil {
		panic(err)
	}
	return r.With(agentgraph.Options{Parallel: 2})
}

// life runs a child until it ends or is killed, some time after it said its n-th
// line, and returns what it said.
func life(t *testing.T, dir string, n int, after time.Duration) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AGENTGRAPH_CHILD="+dir)
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var lines []string
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		if lines = append(lines, scanner.Text()); len(lines) == n {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err != nil {
		require.EqualError(t, err, "signal: killed", faults.String())
	}
	return lines
}

// TestKills kills a process that works through a flow and a meeting, at random
// moments, until it comes to its end, again and again: the end is that of a run that
// was left alone, and no step that had been acknowledged ran again.
func TestKills(t *testing.T) {
	want, err := flowToKill(agentgraph.NewMemStore(), func(string) {})
	require.NoError(t, err)
	text, err := json.Marshal(want)
	require.NoError(t, err)

	killed, ended := 0, 0
	for round := 0; killed < *kills; round++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(round))
		acknowledged := map[string]bool{}
		for done := false; !done; {
			lines := life(t, dir, 1+rand.IntN(9), time.Duration(rand.IntN(5_000))*time.Microsecond)
			for _, line := range lines {
				verb, rest, _ := strings.Cut(line, " ")
				switch verb {
				case "begun":
					require.False(t, acknowledged[rest], "%s ran again", rest)
				case "result":
					require.Equal(t, string(text), rest)
					done = true
				}
			}
			for _, line := range lines {
				if name, ok := strings.CutPrefix(line, "acknowledged "); ok {
					acknowledged[name] = true
				}
			}
			if !done {
				killed++
			}
		}
		ended++
	}
	t.Logf("%d kills, %d runs that came to their end", killed, ended)
}

// TestTwoProcesses: two processes work on one run at once, many times. Exactly one
// owns each durable write, so that the journal is that of one attempt after the
// other; the last one's end is that of a run that was left alone.
func TestTwoProcesses(t *testing.T) {
	want, err := flowToKill(agentgraph.NewMemStore(), func(string) {})
	require.NoError(t, err)
	text, err := json.Marshal(want)
	require.NoError(t, err)
	rounds := 10
	taken := 0
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(round))
		results := make(chan string, 2)
		for range 2 {
			go func() { results <- rival(dir) }()
		}
		finished := 0
		for range 2 {
			switch r := <-results; {
			case r == "result "+string(text):
				finished++
			case strings.Contains(r, agentgraph.ErrRunTaken.Error()):
				taken++
			default:
				t.Errorf("neither the result nor taken: %s", r)
			}
		}
		require.Positive(t, finished)
		requireOneOwnerAtATime(t, dir)
	}
	t.Logf("%d of %d runs were taken over", taken, rounds)
}

// rival is a child that nobody kills; it returns its last words.
func rival(dir string) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AGENTGRAPH_CHILD="+dir)
	out, _ := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// requireOneOwnerAtATime: after an attempt has begun, nothing of an older one comes.
func requireOneOwnerAtATime(t *testing.T, dir string) {
	t.Helper()
	store, err := filestore.Open(dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	owner := ""
	for r, err := range store.Read(context.Background(), "run", 0) {
		require.NoError(t, err)
		var entry struct{ By string }
		require.NoError(t, json.Unmarshal(r.Data, &entry))
		if r.Kind == "attempt" {
			owner = entry.By
		}
		require.Equal(t, owner, entry.By)
	}
}
