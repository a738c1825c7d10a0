package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// appendLog is the floor of a durable step: one write at the end of a file, and
// one sync.
type appendLog struct {
	file *os.File
	line []byte
}

// newAppendLog opens an empty one, whose lines have so many bytes.
func newAppendLog(tb testing.TB, size int64) *appendLog {
	file, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	require.NoError(tb, err)
	line := bytes.Repeat([]byte("x"), int(size))
	line[size-1] = '\n'
	return &appendLog{file, line}
}

func (l *appendLog) close(tb testing.TB) { require.NoError(tb, l.file.Close()) }

func (l *appendLog) append() error {
	if _, err := l.file.Write(l.line); err != nil {
		return err
	}
	return datasync(l.file)
}

// besideNothing is a clock of steps that write no files.
func besideNothing(testing.TB, int64) *clock { return &clock{unit: "step", stretch: 10} }

// besideAppends is a clock of steps whose floor is an appendLog.
func besideAppends(tb testing.TB, size int64) *clock {
	const appends = 3
	log := newAppendLog(tb, size)
	tb.Cleanup(func() { log.close(tb) })
	return &clock{unit: "step", stretch: 10, floor: func() float64 {
		start := time.Now()
		for range appends {
			require.NoError(tb, log.append())
		}
		return float64(time.Since(start).Nanoseconds()) / appends
	}}
}

// row takes n durable steps by the clock, from a fresh start, and checks off the
// clock that they are there.
type row func(tb testing.TB, c *clock, n int)

// appends is the row of the floor itself.
func appends(size int64) row {
	return func(tb testing.TB, c *clock, n int) {
		log := newAppendLog(tb, size)
		defer log.close(tb)
		c.start()
		for range n {
			require.NoError(tb, log.append())
			c.done(1)
		}
		c.stop()
		text, err := os.ReadFile(log.file.Name())
		require.NoError(tb, err)
		require.Equal(tb, bytes.Repeat(log.line, n), text)
		c.disk += int64(len(text))
	}
}

// benchSteps runs a row of n steps again and again.
func benchSteps(b *testing.B, c *clock, n int, r row) {
	for b.Loop() {
		r(b, c, n)
	}
	c.report(b)
}

// readLog is the floor of a resume: it reads a journal and decodes its lines,
// which are so many at least.
func readLog(tb testing.TB, file string, atLeast int) {
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	lines := 0
	for line := range bytes.Lines(text) {
		var r agentgraph.Record
		require.NoError(tb, json.Unmarshal(line, &r))
		lines++
	}
	require.GreaterOrEqual(tb, lines, atLeast)
}

// besideReading is a clock of runs of n steps each, whose floor is readLog.
func besideReading(tb testing.TB, file string, n int) *clock {
	return &clock{unit: "step", stretch: n, floor: func() float64 {
		start := time.Now()
		readLog(tb, file, n)
		return float64(time.Since(start).Nanoseconds()) / float64(n)
	}}
}

func TestAppends(t *testing.T) {
	c := besideAppends(t, 1<<18)
	appends(200)(t, c, 100)
	require.Equal(t, 100, c.units)
	require.Len(t, c.ratios, 10)
	require.Equal(t, int64(100*200), c.disk)
	if written() > 0 {
		require.GreaterOrEqual(t, c.wrote, c.disk)
		require.Less(t, c.wrote, int64(1<<18), "the floor's own are not counted")
	}
}
