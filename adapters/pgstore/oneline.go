package pgstore

import (
	"slices"
	"strings"
)

// onOneLine is an error whose text has no line breaks. That of pgconn has a line for
// each address that was tried.
func onOneLine(err error) error {
	if strings.Contains(err.Error(), "\n") {
		return lineError{err}
	}
	return err
}

// lineError is an error whose own text has several lines.
type lineError struct{ error }

func (e lineError) Unwrap() error { return e.error }

// Error leaves out a line that has been said: pgconn says the same of an address with
// TLS and without.
func (e lineError) Error() string {
	var said []string
	for line := range strings.Lines(e.error.Error()) {
		line = strings.TrimSpace(line)
		if !slices.ContainsFunc(said, func(before string) bool { return strings.HasSuffix(before, line) }) {
			said = append(said, line)
		}
	}
	return strings.ReplaceAll(strings.Join(said, "; "), ":; ", ": ") // below a heading comes the first of several
}
