package journal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Largest says in words what the largest value in lines is, and how many bytes it
// has: for one whose lines a log refused. It costs the size of the lines.
func Largest(lines []Line) (what string, size int) {
	for _, l := range lines {
		e := Entry{Kind: l.Kind}
		if err := decode(l.Data, &e); err != nil {
			continue // it was not written here
		}
		for _, v := range e.values() {
			if len(v.raw) > size {
				what, size = v.what+e.place(), len(v.raw)
			}
		}
	}
	return what, size
}

// described is a value and what it is.
type described struct {
	what string
	raw  json.RawMessage
}

// values are those that a user gave, or had a part in.
func (e *Entry) values() []described {
	list := slices.Concat(e.Given.values("artifact"), e.Set.values("artifact"), e.States.values("state of agent"))
	value := map[string]string{KindAsk: "question", KindAnswer: "answer", KindTurn: "posts", KindMeeting: "roster"}[e.Kind]
	return append(list, described{value, e.Value}, described{"state", e.State}, described{"history", e.Heard},
		described{"posts", e.Inputs}, described{"error", json.RawMessage(e.Error)})
}

// values are those that stand in a delta, in order of name.
func (d *Delta) values(what string) []described {
	if d == nil {
		return nil
	}
	var list []described
	for _, name := range slices.Sorted(maps.Keys(d.Put)) {
		list = append(list, described{fmt.Sprintf("%s %q", what, name), d.Put[name]})
	}
	return list
}

// place is where the entry stands in a run.
func (e *Entry) place() string {
	switch {
	case e.Kind == KindAttempt:
		return " of the input"
	case e.Step != "":
		return fmt.Sprintf(" at step %q", e.Step)
	case e.Agent != "":
		return fmt.Sprintf(" of agent %q", e.Agent)
	}
	return ""
}
