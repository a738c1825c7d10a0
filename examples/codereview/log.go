package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/examples/codereview/review"
)

// writeLog prints every post: who said it, where, in answer to what, who heard
// it, and what it was about.
func writeLog(w *bytes.Buffer, roster *agentgraph.Roster[review.Body], log []review.Post) {
	for _, p := range log {
		fmt.Fprintf(w, "%s%s%s%s\n    %s\n",
			p.ID,
			after(" to ", p.To),
			after(", heard by ", roster.Hearers(p.To...)),
			after(", answers ", texts(p.Thread)),
			p.Body)
	}
}

// after is a list with words before it, or nothing for an empty list.
func after(words string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return words + strings.Join(list, " ")
}

func texts(ids []agentgraph.PostID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.String()
	}
	return list
}
