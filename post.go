package agentgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Name is the name of a vertex, or the path of an agent in nested nodes:
// "team/x" is x inside team.
type Name = string

// Channel is a name that posts are addressed to. Everyone who subscribes to a
// channel hears what is posted there.
type Channel = string

const (
	// Everyone addresses a post from outside to every agent at every depth. No
	// edge may carry it, and no agent can address it.
	Everyone Channel = "*"

	// Outside, in an output's To, stands for the outgoing channels of the node
	// that the agent is nested in. No edge may carry it.
	Outside Channel = ".."
)

// Post is one entry of a log. Posts, and the slices inside them, are shared by
// the log and everyone who hears them: read them, do not write to them.
type Post[B any] struct {
	ID     PostID    `json:"id"`
	From   Name      `json:"from"`
	To     []Channel `json:"to"`               // sorted, unique
	Thread []PostID  `json:"thread,omitempty"` // the posts it answers: sorted by From and N, unique
	Body   B         `json:"body"`
}

// PostID says whose post it is and which of theirs, counted from 0 over one
// meeting. Its text form is "team/x#3".
type PostID struct {
	From Name
	N    int
}

// NewPost returns a root post from outside. Its ID is given when a meeting
// takes it.
func NewPost[B any](from Name, to []Channel, body B) Post[B] {
	return Post[B]{From: from, To: sorted(to), Body: body}
}

// Reply returns an output that cites the given posts. An output without a
// thread cites the agent's input, so Reply is for answers to something else, or
// to more.
func Reply[B any](body B, to ...Post[B]) Post[B] {
	thread := make([]PostID, len(to))
	for i, p := range to {
		thread[i] = p.ID
	}
	return Post[B]{Thread: sortedIDs(thread), Body: body}
}

// Cone returns the post with the given ID and all posts that it descends from
// by way of threads, in log order. It is empty when the log lacks the post.
// It costs O(the log and its threads).
func Cone[B any](log []Post[B], id PostID) []PostID {
	var cone []PostID
	wanted := map[PostID]bool{id: true}
	for i := len(log) - 1; i >= 0; i-- {
		if !wanted[log[i].ID] {
			continue
		}
		cone = append(cone, log[i].ID)
		for _, cited := range log[i].Thread {
			wanted[cited] = true
		}
	}
	slices.Reverse(cone)
	return cone
}

// String returns the text form: the author, a number sign and the number.
func (id PostID) String() string {
	return id.From + "#" + strconv.Itoa(id.N)
}

// Compare orders IDs by author, then by number.
func (id PostID) Compare(other PostID) int {
	if c := strings.Compare(id.From, other.From); c != 0 {
		return c
	}
	return cmp.Compare(id.N, other.N)
}

// MarshalText returns the text form.
func (id PostID) MarshalText() ([]byte, error) {
	return []byte(id.String()), nil
}

// UnmarshalText reads the text form. The number is decimal, without a sign or
// leading zeros; anything else is an error.
func (id *PostID) UnmarshalText(text []byte) error {
	s := string(text)
	at := strings.LastIndexByte(s, '#')
	if at < 0 {
		return fmt.Errorf("agentgraph: post ID %q has no number: want author#n", s)
	}
	n, err := strconv.Atoi(s[at+1:])
	if err != nil || n < 0 || strconv.Itoa(n) != s[at+1:] {
		return fmt.Errorf("agentgraph: post ID %q: %q is not a post number", s, s[at+1:])
	}
	*id = PostID{From: s[:at], N: n}
	return nil
}

// sorted returns a sorted copy without repeats; it is never nil.
func sorted(names []string) []string {
	s := append(make([]string, 0, len(names)), names...)
	slices.Sort(s)
	return slices.Clip(slices.Compact(s))
}

// sortedIDs returns a sorted copy without repeats; it is nil for none.
func sortedIDs(ids []PostID) []PostID {
	if len(ids) == 0 {
		return nil
	}
	s := slices.Clone(ids)
	slices.SortFunc(s, PostID.Compare)
	return slices.Clip(slices.Compact(s))
}
