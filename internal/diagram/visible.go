package diagram

import (
	"strconv"
	"strings"
)

// Visible returns a name as a reader can tell it from any other: what does not
// show, and the backslash, is escaped as in Go. An empty name is "".
func Visible(name string) string {
	if name == "" {
		return `""`
	}
	q := strconv.Quote(name)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// VisibleList returns names with commas between them.
func VisibleList(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = Visible(name)
	}
	return strings.Join(shown, ", ")
}
