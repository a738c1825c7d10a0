package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// visible is a text in which nothing steers the terminal: what cannot be printed
// is escaped.
func visible(s string) string {
	printable := func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }
	if strings.IndexFunc(s, func(r rune) bool { return !printable(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if printable(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// plain is the text of an error without the name of the library before it.
func plain(err error) string { return visible(strings.TrimPrefix(err.Error(), "agentgraph: ")) }

// shownValue is how many characters of a value are shown.
const shownValue = 200

// short is a JSON value on one line, cut.
func short(raw json.RawMessage) string {
	text := visible(string(raw))
	n := 0
	for i := range text {
		if n == shownValue {
			return text[:i] + fmt.Sprintf("… (%d bytes)", len(raw))
		}
		n++
	}
	return text
}

// body is what a post says: a string as it is, with later lines indented, anything
// else as JSON.
func body(raw json.RawMessage, indent string) string {
	var text string
	if json.Unmarshal(raw, &text) != nil || len(raw) > 0 && raw[0] != '"' {
		return visible(string(raw))
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = visible(lines[i])
	}
	return strings.Join(lines, "\n"+indent)
}

// moment is a time as it is shown.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// duration is a length as it is shown.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// The colours of what can become of something.
func colourOf(status string) string {
	switch status {
	case "executed", "finished", "done":
		return "32" // green
	case "cached", "skip":
		return "36" // cyan
	case "error", "failed", "damaged":
		return "31" // red
	case "waiting", "wait", "interrupted", "stopped":
		return "33" // yellow
	}
	return "34" // blue
}

// coloured is a status in its colour, where the terminal can.
func (a *app) coloured(status string) string {
	if !a.colour {
		return visible(status)
	}
	return "\x1b[" + colourOf(status) + "m" + visible(status) + "\x1b[0m"
}

// print writes to standard output. An error shows when that is flushed.
func (a *app) print(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// json writes a value on a line.
func (a *app) json(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// progress tells, in a terminal, how far long work has come.
func (a *app) progress(what string, n, of int) {
	if a.live {
		_, _ = fmt.Fprintf(a.err, "\r\x1b[K%s %d of %d", what, n, of)
	}
}

// progressed takes the line away.
func (a *app) progressed() {
	if a.live {
		_, _ = fmt.Fprint(a.err, "\r\x1b[K")
	}
}
