package minutes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Post is an entry of a log. Its JSON is that of a post of the library.
type Post struct {
	ID     ID              `json:"id"`
	From   string          `json:"from"`
	To     []string        `json:"to"`
	Thread []ID            `json:"thread,omitempty"`
	Body   json.RawMessage `json:"body"`
}

// ID says whose post it is and which of theirs. Its text is "team/x#3".
type ID struct {
	From string
	N    int
}

// String returns the text form.
func (id ID) String() string { return id.From + "#" + strconv.Itoa(id.N) }

// MarshalText returns the text form.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the text form.
func (id *ID) UnmarshalText(text []byte) error {
	at := strings.LastIndexByte(string(text), '#')
	if at < 0 {
		return fmt.Errorf("post ID %q has no number", text)
	}
	n, err := strconv.Atoi(string(text[at+1:]))
	if err != nil {
		return fmt.Errorf("post ID %q: %w", text, err)
	}
	*id = ID{From: string(text[:at]), N: n}
	return nil
}

func (id ID) compare(other ID) int {
	if c := strings.Compare(id.From, other.From); c != 0 {
		return c
	}
	return id.N - other.N
}

// output is what is kept of a post that somebody made.
type output struct {
	To     []string        `json:"to"`
	Thread []ID            `json:"thread"`
	Body   json.RawMessage `json:"body"`
}

func outputs(value json.RawMessage) (kept []output, err error) {
	if len(value) > 0 {
		err = json.Unmarshal(value, &kept)
	}
	return kept, err
}

// sorted returns a sorted copy without repeats; it is never nil.
func sorted(names []string) []string {
	s := append(make([]string, 0, len(names)), names...)
	slices.Sort(s)
	return slices.Compact(s)
}

// sortedIDs returns a sorted copy without repeats; it is nil for none.
func sortedIDs(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	s := slices.Clone(ids)
	slices.SortFunc(s, ID.compare)
	return slices.Compact(s)
}
