package bench

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clock times what is done in units, such as steps. After every stretch of them it
// stands still while the floor does the same, so that both meet the disk in one
// state: a shared one can be twice as slow a second later.
type clock struct {
	unit    string
	stretch int            // units from one look at the floor to the next
	floor   func() float64 // what a unit costs there, in nanoseconds; nil for none

	units     int
	ran       time.Duration
	costs     []float64 // of a unit in nanoseconds, one a stretch
	ratios    []float64 // of these to the floor
	wrote     int64     // bytes given to write calls
	disk      int64     // bytes left in files; the row adds them
	since     time.Time // the running stretch began
	pending   int       // its units so far
	wroteThen int64
}

func (c *clock) start() {
	c.wroteThen = written()
	c.since = time.Now()
}

// done says that so many more units are done.
func (c *clock) done(units int) {
	c.units += units
	if c.pending += units; c.pending < c.stretch {
		return
	}
	took := time.Since(c.since)
	c.ran += took
	c.wrote += written() - c.wroteThen
	cost := float64(took.Nanoseconds()) / float64(c.pending)
	c.costs = append(c.costs, cost)
	if c.floor != nil {
		c.ratios = append(c.ratios, cost/c.floor())
	}
	c.pending = 0
	c.start()
}

func (c *clock) stop() {
	c.ran += time.Since(c.since)
	c.wrote += written() - c.wroteThen
	c.pending = 0
}

// report leaves out what is not known, bytes that are fewer than one a unit, which
// are the runtime's own, and how long an iteration took, which has the floor in it.
func (c *clock) report(b *testing.B) {
	per := func(total float64, what string) {
		if total >= float64(c.units) {
			b.ReportMetric(total/float64(c.units), what+"/"+c.unit)
		}
	}
	b.ReportMetric(0, "ns/op")
	per(float64(c.ran.Nanoseconds()), "ns")
	per(float64(c.wrote), "written-B")
	per(float64(c.disk), "disk-B")
	b.ReportMetric(median(c.costs), "p50-ns/"+c.unit)
	if c.floor != nil {
		b.ReportMetric(median(c.ratios), "ratio")
	}
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// written is how many bytes this process has given to write calls so far; 0
// where the system, or its version, does not tell.
func written() int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if count, ok := strings.CutPrefix(line, "wchar: "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
			return n
		}
	}
	return 0
}

func TestClock(t *testing.T) {
	looks := 0
	c := &clock{unit: "step", stretch: 3, floor: func() float64 { looks++; return 1 }}
	for range 2 {
		c.start()
		for range 7 {
			c.done(1)
		}
		c.stop()
	}
	require.Equal(t, 4, looks, "after the third step and the sixth, twice")
	require.Len(t, c.costs, looks)
	require.Equal(t, c.costs, c.ratios, "to a floor of 1 ns")
	require.Equal(t, 14, c.units)
	require.Positive(t, c.ran)
	require.Zero(t, c.wrote)

	require.Equal(t, 3.0, median([]float64{9, 1, 3}))
	require.Equal(t, 2.0, median([]float64{9, 1, 3, 0}))
}
