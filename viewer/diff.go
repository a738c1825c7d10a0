package viewer

import (
	"bytes"
	"encoding/json"
	"strings"
)

// line is one line of a comparison.
type line struct {
	Op   string // "same", "gone", "new" or "gap"
	Text string
}

// Sign is what stands before the line.
func (l line) Sign() string {
	switch l.Op {
	case "gone":
		return "−"
	case "new":
		return "+"
	case "gap":
		return "⋯"
	}
	return " "
}

// pretty is a JSON text with its objects in order of key, one value a line. What is
// no JSON is as it is.
func pretty(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

// around is how many lines that are the same are shown beside those that are not.
const around = 3

// mostCells bounds the work of one comparison: lines that differ, times lines.
const mostCells = 4_000_000

// compared says line by line what makes one text the other.
func compared(before, after string) []line {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []line
	for _, text := range a[:head] {
		lines = append(lines, line{"same", text})
	}
	lines = append(lines, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, text := range a[len(a)-tail:] {
		lines = append(lines, line{"same", text})
	}
	return folded(lines)
}

// middle compares by a longest common subsequence, if that is not too much work.
func middle(a, b []string) []line {
	if len(a)*len(b) > mostCells {
		return replaced(a, b)
	}
	long := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range long {
		long[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	var lines []line
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, line{"same", a[i]})
			i, j = i+1, j+1
		case long[i+1][j] >= long[i][j+1]:
			lines = append(lines, line{"gone", a[i]})
			i++
		default:
			lines = append(lines, line{"new", b[j]})
			j++
		}
	}
	return append(lines, replaced(a[i:], b[j:])...)
}

func replaced(a, b []string) []line {
	lines := make([]line, 0, len(a)+len(b))
	for _, text := range a {
		lines = append(lines, line{"gone", text})
	}
	for _, text := range b {
		lines = append(lines, line{"new", text})
	}
	return lines
}

// folded leaves out what is the same and far from what is not.
func folded(lines []line) []line {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Op == "same" {
			continue
		}
		for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
			near[j] = true
		}
	}
	var kept []line
	for i := 0; i < len(lines); {
		if near[i] {
			kept = append(kept, lines[i])
			i++
			continue
		}
		from := i
		for i < len(lines) && !near[i] {
			i++
		}
		if i-from == 1 {
			kept = append(kept, lines[from])
		} else {
			kept = append(kept, line{"gap", itoa(i-from) + " lines the same"})
		}
	}
	return kept
}
